//! Checks the code of a pattern before the engine runs it: `_sre.compile` can be called with anything, and the engine reads
//! its text where the code says.
//! Source: what CPython's `sre.c` accepts, for the opcodes of `re._constants`.

use rustpython_sre_engine::{CODESIZE, MAXGROUPS, MAXREPEAT, SreAtCode, SreCatCode, SreInfo, SreOpcode};

/// Whether the engine may run the code of a pattern with this many groups.
pub(super) fn is_valid(code: &[u32], groups: usize) -> bool {
    let body = match code.split_last() {
        Some((last, body)) if *last == SreOpcode::SUCCESS as u32 => body,
        _ => return false,
    };
    groups <= MAXGROUPS && Reader { rest: body }.block(groups).is_some()
}

/// The code that is still to be checked. What is not valid gives `None`.
struct Reader<'a> {
    rest: &'a [u32],
}

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<u32> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn opcode(&mut self) -> Option<SreOpcode> {
        SreOpcode::try_from(self.word()?).ok()
    }

    fn take(&mut self, words: usize) -> Option<&'a [u32]> {
        let (taken, rest) = self.rest.split_at_checked(words)?;
        self.rest = rest;
        Some(taken)
    }

    /// A distance, counted from the word that holds it, and whether it stays within the code.
    fn skip(&mut self) -> Option<usize> {
        let distance = *self.rest.first()? as usize;
        (distance <= self.rest.len()).then_some(())?;
        self.word()?;
        Some(distance)
    }

    /// The next `words` as a block of their own, and then the opcode that ends it.
    fn inner(&mut self, words: Option<usize>, groups: usize, ends: &[SreOpcode]) -> Option<()> {
        Reader { rest: self.take(words?)? }.block(groups)?;
        ends.contains(&self.opcode()?).then_some(())
    }

    fn block(&mut self, groups: usize) -> Option<()> {
        while !self.rest.is_empty() {
            self.instruction(groups)?;
        }
        Some(())
    }

    fn instruction(&mut self, groups: usize) -> Option<()> {
        use SreOpcode as Op;
        match self.opcode()? {
            Op::SUCCESS | Op::FAILURE | Op::ANY | Op::ANY_ALL => Some(()),
            Op::MARK => (self.word()? as usize <= 2 * groups + 1).then_some(()),
            Op::LITERAL
            | Op::NOT_LITERAL
            | Op::LITERAL_IGNORE
            | Op::NOT_LITERAL_IGNORE
            | Op::LITERAL_UNI_IGNORE
            | Op::NOT_LITERAL_UNI_IGNORE
            | Op::LITERAL_LOC_IGNORE
            | Op::NOT_LITERAL_LOC_IGNORE => self.word().map(drop),
            Op::AT => SreAtCode::try_from(self.word()?).ok().map(drop),
            Op::IN | Op::IN_IGNORE | Op::IN_UNI_IGNORE | Op::IN_LOC_IGNORE => {
                let length = self.skip()?;
                Reader { rest: self.take(length.checked_sub(2)?)? }.charset()?;
                (self.opcode()? == Op::FAILURE).then_some(())
            }
            Op::INFO => {
                let length = self.skip()?;
                Reader { rest: self.take(length.checked_sub(1)?)? }.information()
            }
            Op::BRANCH => self.branches(groups),
            Op::REPEAT_ONE | Op::MIN_REPEAT_ONE | Op::POSSESSIVE_REPEAT_ONE => {
                let length = self.skip()?;
                self.counts()?;
                self.inner(length.checked_sub(4), groups, &[Op::SUCCESS])
            }
            Op::REPEAT => {
                let length = self.skip()?;
                self.counts()?;
                self.inner(length.checked_sub(3), groups, &[Op::MAX_UNTIL, Op::MIN_UNTIL])
            }
            Op::POSSESSIVE_REPEAT => {
                let length = self.skip()?;
                self.counts()?;
                self.inner(length.checked_sub(3), groups, &[Op::SUCCESS])
            }
            Op::ATOMIC_GROUP => {
                let length = self.skip()?;
                self.inner(length.checked_sub(2), groups, &[Op::SUCCESS])
            }
            Op::GROUPREF | Op::GROUPREF_IGNORE | Op::GROUPREF_UNI_IGNORE | Op::GROUPREF_LOC_IGNORE => {
                ((self.word()? as usize) < groups).then_some(())
            }
            Op::GROUPREF_EXISTS => self.conditional(groups),
            Op::ASSERT | Op::ASSERT_NOT => {
                let length = self.skip()?;
                (self.word()? & 0x8000_0000 == 0).then_some(())?;
                self.inner(length.checked_sub(3), groups, &[Op::SUCCESS])
            }
            _ => None,
        }
    }

    /// The least and the greatest number of repeats.
    fn counts(&mut self) -> Option<()> {
        let (least, greatest) = (self.word()?, self.word()?);
        (least <= greatest && greatest as usize <= MAXREPEAT).then_some(())
    }

    fn branches(&mut self, groups: usize) -> Option<()> {
        let mut end = None;
        loop {
            let length = self.skip()?;
            if length == 0 {
                break;
            }
            self.inner(length.checked_sub(3), groups, &[SreOpcode::JUMP])?;
            // Every branch goes on at the same place: as many words are left there.
            let jump = self.rest.len().checked_sub(self.skip()?)?;
            (*end.get_or_insert(jump) == jump).then_some(())?;
        }
        (end? == self.rest.len()).then_some(())
    }

    /// What follows if a group matched, and what follows if not. The distance counts from the word before it.
    fn conditional(&mut self, groups: usize) -> Option<()> {
        ((self.word()? as usize) < groups).then_some(())?;
        let distance = *self.rest.first()? as usize;
        let here = self.rest;
        (distance <= here.len() + 1).then_some(())?;
        let jump = distance.checked_sub(3).filter(|jump| here.get(*jump) == Some(&(SreOpcode::JUMP as u32)));
        self.word()?;
        match jump {
            Some(jump) => {
                self.inner(jump.checked_sub(1), groups, &[SreOpcode::JUMP])?;
                let length = self.skip()?;
                Reader { rest: self.take(length.checked_sub(1)?)? }.block(groups)
            }
            None => Reader { rest: self.take(distance.checked_sub(2)?)? }.block(groups),
        }
    }

    /// The block that says what a match begins with.
    fn information(&mut self) -> Option<()> {
        let flags = SreInfo::from_bits(self.word()?)?;
        let (_least, _greatest) = (self.word()?, self.word()?);
        let (prefix, charset) = (flags.contains(SreInfo::PREFIX), flags.contains(SreInfo::CHARSET));
        if (prefix && charset) || (flags.contains(SreInfo::LITERAL) && !prefix) {
            return None;
        }
        if prefix {
            let length = self.word()? as usize;
            (self.word()? as usize <= length).then_some(())?;
            self.take(length)?;
            let overlaps = self.take(length)?;
            overlaps.iter().all(|overlap| (*overlap as usize) < length).then_some(())?;
        }
        if charset {
            let (last, set) = self.rest.split_last()?;
            (*last == SreOpcode::FAILURE as u32).then_some(())?;
            Reader { rest: set }.charset()?;
            self.rest = &[];
        }
        self.rest.is_empty().then_some(())
    }

    fn charset(&mut self) -> Option<()> {
        while !self.rest.is_empty() {
            match self.opcode()? {
                SreOpcode::NEGATE => {}
                SreOpcode::LITERAL => drop(self.word()?),
                SreOpcode::RANGE | SreOpcode::RANGE_UNI_IGNORE => drop(self.take(2)?),
                SreOpcode::CHARSET => drop(self.take(256 / (8 * CODESIZE))?),
                SreOpcode::BIGCHARSET => {
                    let blocks = self.word()?;
                    let index = self.take(256 / CODESIZE)?;
                    let known =
                        index.iter().flat_map(|word| word.to_ne_bytes()).all(|it| u32::from(it) < blocks);
                    known.then_some(())?;
                    self.take((blocks as usize).checked_mul(256 / (8 * CODESIZE))?)?;
                }
                SreOpcode::CATEGORY => drop(SreCatCode::try_from(self.word()?).ok()?),
                _ => return None,
            }
        }
        Some(())
    }
}
