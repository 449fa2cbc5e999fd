// Shows where a number comes from: its calculation, which attn wrote into the page, and the elements it was computed
// from. Nothing is asked of the network, and text is only ever set as text.
(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const panel = document.getElementById('why');
  const whys = data.tensors.map((tensor) => new Map(tensor.whys.map((why) => [why[0], why])));
  const cells = data.tensors.map(() => new Map());
  let shown = null;
  let kept = false;

  function make(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // Each cell knows its tensor and its row-major offset. One cell of a table takes part in the order of the Tab key.
  for (const table of document.querySelectorAll('table[data-t]')) {
    const tensor = Number(table.dataset.t);
    let next = Number(table.dataset.from);
    let first = true;
    for (const row of table.tBodies[0].rows) {
      for (const cell of row.cells) {
        if (cell.tagName !== 'TD' || cell.className === 'gap') continue;
        cell.offset = cell.dataset.e === undefined ? next++ : Number(cell.dataset.e);
        cell.tensor = tensor;
        cell.tabIndex = first ? 0 : -1;
        first = false;
        cells[tensor].set(cell.offset, cell);
      }
    }
  }

  function indexOf(offset, shape) {
    const index = [];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index.unshift(offset % shape[axis]);
      offset = Math.floor(offset / shape[axis]);
    }
    return index;
  }

  function nameOf(tensor, offset) {
    const about = data.tensors[tensor];
    return about.shape.length ? about.name + '[' + indexOf(offset, about.shape).join(',') + ']' : about.name;
  }

  // The elements that one was computed from, as [tensor, offset].
  function sources(tensor, offset) {
    const why = whys[tensor].get(offset);
    const found = [];
    const runs = why ? why[2] : [];
    for (let at = 0; at < runs.length; at += 4) {
      for (let count = 0; count < runs[at + 3]; count++) found.push([runs[at], runs[at + 1] + count * runs[at + 2]]);
    }
    return found;
  }

  // The headers of a cell: its row's, its column's.
  function headers(cell) {
    const table = cell.closest('table');
    const row = cell.parentNode.querySelector('th');
    const column = table.tHead && table.tHead.rows[0].cells[cell.cellIndex];
    return [row, column].filter(Boolean);
  }

  function places(cell) {
    const table = cell.closest('table');
    const corner = table.tHead && table.tHead.querySelector('.corner');
    const axes = corner ? corner.textContent.split(' \\ ') : [];
    const own = headers(cell);
    const words = own.map((th, at) => {
      const axis = own.length === axes.length && axes[at] ? axes[at] + ' ' : '';
      return axis + th.textContent;
    });
    const caption = table.caption && !table.caption.classList.contains('hidden') ? [table.caption.textContent] : [];
    return caption.concat(own.length === axes.length ? words : []).join(', ');
  }

  function lit(name) {
    return document.querySelectorAll('.' + name);
  }

  function clear() {
    for (const name of ['at', 'f1', 'f2', 'hot']) {
      for (const cell of Array.from(lit(name))) cell.classList.remove(name);
    }
  }

  // Marks the element, those it was computed from, and those that they were computed from, down to the inputs.
  function light(cell) {
    clear();
    cell.classList.add('at');
    for (const th of headers(cell)) th.classList.add('hot');
    const seen = new Set([cell.tensor + ' ' + cell.offset]);
    const further = new Map();
    let level = [[cell.tensor, cell.offset]];
    for (let depth = 1; level.length && seen.size < 4000; depth++) {
      const next = [];
      for (const [tensor, offset] of level) {
        for (const source of sources(tensor, offset)) {
          const key = source[0] + ' ' + source[1];
          if (seen.has(key)) continue;
          seen.add(key);
          next.push(source);
          const target = cells[source[0]].get(source[1]);
          if (target) target.classList.add(depth === 1 ? 'f1' : 'f2');
          if (depth > 1) further.set(source[0], true);
        }
      }
      level = next;
    }
    return further;
  }

  // Opens what is folded around an element, and scrolls to it.
  function goTo(tensor, offset) {
    const cell = cells[tensor].get(offset) || cells[tensor].values().next().value;
    const target = cell || document.getElementById('tensor-' + tensor);
    if (!target) return;
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === 'DETAILS') node.open = true;
      if (node.hidden) node.hidden = false;
    }
    target.scrollIntoView({ block: 'center', behavior: 'smooth' });
    if (cell) {
      keep(false);
      cell.focus({ preventScroll: true });
    }
  }

  // A small copy of the tables that have sources, with these lit.
  function miniature(tensor, offsets) {
    const tables = new Set();
    for (const offset of offsets) {
      const cell = cells[tensor].get(offset);
      if (cell) tables.add(cell.closest('table'));
    }
    const all = make('div', 'minis');
    for (const table of Array.from(tables).slice(0, 4)) {
      const rows = table.tBodies[0].rows;
      if (rows.length > 16 || rows[0].cells.length > 40) continue;
      const mini = make('div', 'mini');
      mini.setAttribute('aria-hidden', 'true');
      for (const row of rows) {
        const line = make('div');
        for (const cell of row.cells) {
          if (cell.tagName === 'TD') line.append(make('i', cell.className.replace(/\bat\b/, '')));
        }
        mini.append(line);
      }
      all.append(mini);
    }
    return all;
  }

  function reference(tensor, offsets) {
    const button = make('button', 'jump');
    button.type = 'button';
    const many = offsets.length === 1 ? nameOf(tensor, offsets[0]) : data.tensors[tensor].name;
    button.append(make('code', '', many));
    button.append(offsets.length > 1 ? ' ' + offsets.length + ' elements' : '');
    button.addEventListener('click', () => goTo(tensor, offsets[0]));
    return button;
  }

  function explain(cell) {
    const why = whys[cell.tensor].get(cell.offset);
    const further = light(cell);
    panel.textContent = '';
    const head = make('p', 'head');
    head.append(make('code', 'n', nameOf(cell.tensor, cell.offset)), ' = ', make('strong', '', cell.textContent));
    panel.append(head);
    const along = places(cell);
    if (along) panel.append(make('p', 'd', along));
    for (const number of why ? why[1] : []) {
      const line = data.lines[number];
      const kind = { '@': 'line', '=': 'figures', '~': 'note' }[line[0]];
      const text = kind === 'figures' ? '= ' + line.slice(1) : kind ? line.slice(1) : line;
      panel.append(make('p', kind || 'words', text));
    }
    if (!why) panel.append(make('p', 'note', 'Not explained on this page: attn why says where it comes from.'));
    const groups = new Map();
    for (const [tensor, offset] of sources(cell.tensor, cell.offset)) {
      if (!groups.has(tensor)) groups.set(tensor, []);
      groups.get(tensor).push(offset);
    }
    if (groups.size) panel.append(make('p', 'd', 'computed from'));
    for (const [tensor, offsets] of groups) {
      const from = make('div', 'from');
      from.append(reference(tensor, offsets), miniature(tensor, offsets));
      panel.append(from);
      further.delete(tensor);
    }
    further.delete(cell.tensor);
    if (further.size) {
      const line = make('p', 'd', 'and these from ');
      Array.from(further.keys()).forEach((tensor, at) => {
        line.append(at ? ', ' : '', make('code', '', data.tensors[tensor].name));
      });
      panel.append(line);
    }
    const close = make('button', 'close', '×');
    close.type = 'button';
    close.setAttribute('aria-label', 'Close');
    close.addEventListener('click', letGo);
    panel.append(close);
    panel.classList.add('open');
    shown = cell;
  }

  function keep(on) {
    kept = on;
    panel.classList.toggle('kept', on);
  }

  function letGo() {
    clear();
    keep(false);
    panel.classList.remove('open');
    shown = null;
    hint();
  }

  function hint() {
    panel.textContent = '';
    const touch = window.matchMedia('(hover: none)').matches;
    panel.append(make('p', 'd', (touch ? 'Touch' : 'Point at') + ' a number to see where it comes from.'));
  }

  // A map: the square under the pointer, with the names of its row shaded by their values.
  const mark = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  mark.setAttribute('class', 'mark');
  function readMap(svg, event) {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const [left, top, side, across] = svg.dataset.map.split(' ').map(Number);
    const column = Math.floor(((event.clientX - box.left) * scale - left) / side);
    const row = Math.floor(((event.clientY - box.top) * scale - top) / side);
    const values = svg.dataset.values.split(' ');
    const at = row * across + column;
    if (column < 0 || column >= across || row < 0 || at >= values.length) return;
    const size = { x: left - 1, y: top + row * side - 1, width: across * side + 1, height: side + 1 };
    for (const name in size) mark.setAttribute(name, size[name]);
    svg.append(mark);
    clear();
    shown = null;
    const named = (names, place) => (names ? names.split('\n')[place] : String(place));
    panel.textContent = '';
    const head = make('p', 'head');
    const title = svg.querySelector('text.s');
    head.append(make('code', 'n', (title ? title.textContent + ': ' : '') + named(svg.dataset.rows, row)));
    head.append(' → ', make('code', 'n', named(svg.dataset.columns, column)), ' ', make('strong', '', values[at]));
    panel.append(head);
    const line = values.slice(row * across, (row + 1) * across);
    const most = Math.max(...line.map((value) => Math.abs(Number(value)) || 0));
    const words = make('p', 'sentence');
    line.forEach((value, place) => {
      const word = make('span', place === column ? 'at' : '', named(svg.dataset.columns, place));
      word.style.setProperty('--share', (100 * Math.abs(Number(value) || 0)) / (most || 1) + '%');
      words.append(word, ' ');
    });
    panel.append(words);
    panel.classList.add('open');
  }

  const cellOf = (event) => {
    const cell = event.target.closest && event.target.closest('td');
    return cell && cell.tensor !== undefined ? cell : null;
  };
  document.addEventListener('pointerover', (event) => {
    const cell = cellOf(event);
    if (cell && !kept && cell !== shown && event.pointerType !== 'touch') explain(cell);
  });
  document.addEventListener('pointermove', (event) => {
    const svg = event.target.closest && event.target.closest('svg[data-map]');
    if (svg && !kept) readMap(svg, event);
  });
  document.addEventListener('focusin', (event) => {
    const cell = cellOf(event);
    if (!cell) return;
    panel.setAttribute('aria-live', 'polite');
    if (!kept) explain(cell);
    for (const other of cell.closest('table').querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
  });
  document.addEventListener('click', (event) => {
    const cell = cellOf(event);
    if (!cell) return;
    const same = kept && cell === shown;
    if (!same) explain(cell);
    keep(!same);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && shown) return letGo();
    const cell = cellOf(event);
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      const same = kept && cell === shown;
      if (!same) explain(cell);
      return keep(!same);
    }
    const row = cell.parentNode;
    const table = cell.closest('table');
    const body = Array.from(table.tBodies[0].rows);
    const column = cell.cellIndex;
    const ways = {
      ArrowLeft: () => sibling(cell, 'previousElementSibling'),
      ArrowRight: () => sibling(cell, 'nextElementSibling'),
      ArrowUp: () => inColumn(body, body.indexOf(row) - 1, -1, column),
      ArrowDown: () => inColumn(body, body.indexOf(row) + 1, 1, column),
      Home: () => Array.from(row.cells).find((other) => other.tensor !== undefined),
      End: () => Array.from(row.cells).reverse().find((other) => other.tensor !== undefined),
    };
    const target = ways[event.key] && ways[event.key]();
    if (ways[event.key]) event.preventDefault();
    if (target) {
      keep(false);
      target.focus();
    }
  });
  function sibling(cell, way) {
    let next = cell[way];
    while (next && next.tensor === undefined) next = next[way];
    return next;
  }
  function inColumn(body, at, step, column) {
    while (body[at] && body[at].cells[column].tensor === undefined) at += step;
    return body[at] && body[at].cells[column];
  }

  // A tensor of several slices: which of them are shown, axis by axis.
  for (const slices of document.querySelectorAll('.slices[data-axes]')) {
    const tables = Array.from(slices.querySelectorAll('table'));
    if (tables.length < 2) continue;
    const axes = slices.dataset.axes.split('\n');
    const chosen = axes.map(() => '');
    const indexes = tables.map((table) => table.dataset.slice.split(','));
    const row = make('div', 'choosers');
    axes.forEach((axis, at) => {
      const values = Array.from(new Set(indexes.map((index) => index[at])));
      if (values.length < 2) return;
      const group = make('fieldset', 'chooser');
      group.append(make('legend', '', axis));
      const name = slices.closest('figure').id + '-' + at;
      for (const value of [''].concat(values)) {
        const label = make('label');
        const input = make('input');
        input.type = 'radio';
        input.name = name;
        input.checked = value === '';
        input.addEventListener('change', () => {
          chosen[at] = value;
          tables.forEach((table, i) => {
            const fits = indexes[i].every((own, a) => chosen[a] === '' || chosen[a] === own);
            table.parentNode.hidden = !fits;
          });
        });
        label.append(input, value === '' ? 'all' : value);
        group.append(label);
      }
      row.append(group);
    });
    slices.before(row);
  }

  // Light, dark, or as the system has it.
  const themes = ['system', 'light', 'dark'];
  const theme = make('button', 'theme', 'theme: system');
  theme.type = 'button';
  theme.addEventListener('click', () => {
    const now = themes[(themes.indexOf(document.documentElement.dataset.theme || 'system') + 1) % 3];
    document.documentElement.dataset.theme = now;
    theme.textContent = 'theme: ' + now;
  });
  document.querySelector('main').prepend(theme);

  window.addEventListener('beforeprint', () => {
    for (const folded of document.querySelectorAll('details')) folded.open = true;
  });
  hint();
})();
