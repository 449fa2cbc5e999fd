"""Seeds mistakes by hand into programs of correct/, one at a time, and asks `attn doctor` about each.

Usage: python seeds.py ATTN [PROGRAM...]     what is found in each; a last line with the count
       python seeds.py --write FOLDER        writes the mutants as files

Each was written from a list of kinds of mistakes before any check for it was. `mutate.py` changes every place that has a form;
these are single places, of kinds that have no one form: caches, masks that are added, positions, the loop of a training.
"""
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = []


def seed(program, kind, *changes):
    SEEDS.append((program, kind, [changes[i:i + 2] for i in range(0, len(changes), 2)]))


# A module of a repository: only definitions.
seed("gpt_library", "scale of the model", "math.sqrt(k.size(-1))", "math.sqrt(C)")
seed("gpt_library", "softmax over queries", "att = F.softmax(att, dim=-1)", "att = F.softmax(att, dim=-2)")
seed("gpt_library", "heads joined without a transpose", "y = y.transpose(1, 2).contiguous().view(B, T, C)", "y = y.contiguous().view(B, T, C)")
seed("gpt_library", "mask inverted", "self.bias[:, :, :T, :T] == 0", "self.bias[:, :, :T, :T] == 1")
seed("gpt_library", "keys as values", "y = att @ v", "y = att @ k")
seed("gpt_library", "positions never used", "self.drop(self.wte(idx) + self.wpe(pos))", "self.drop(self.wte(idx))")
seed("gpt_library", "one module for several layers", "nn.ModuleList([Block(config) for _ in range(config.n_layer)])", "nn.ModuleList([Block(config)] * config.n_layer)")
# 60 steps of training.
seed("gpt_training", "scale of the model", "math.sqrt(k.size(-1))", "math.sqrt(C)")
seed("gpt_training", "heads joined without a transpose", "y = y.transpose(1, 2).contiguous().view(B, T, C)", "y = y.contiguous().view(B, T, C)")
seed("gpt_training", "gradients cleared before the step", "    optimizer.zero_grad(set_to_none=True)\n    loss.backward()\n", "    loss.backward()\n    optimizer.zero_grad(set_to_none=True)\n")
seed("gpt_training", "no gradients cleared", "    optimizer.zero_grad(set_to_none=True)\n", "")
seed("gpt_training", "targets equal inputs", "data[i + 1:i + 1 + config.block_size]", "data[i:i + config.block_size]")
seed("gpt_training", "parameters in no optimizer", '{"params": decay, "weight_decay": 0.1}, {"params": other, "weight_decay": 0.0}', '{"params": decay, "weight_decay": 0.1}')
seed("gpt_training", "clip after the step", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    optimizer.step()\n", "    optimizer.step()\n    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n")
seed("gpt_training", "clip before backward", "    loss.backward()\n    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    loss.backward()\n")
seed("gpt_training", "model left in eval", "model.train()\nfor step", "model.eval()\nfor step")
seed("gpt_training", "text written with dropout on", "model.eval()\nwith torch.no_grad():", "with torch.no_grad():")
seed("gpt_training", "loss cut off", "    loss.backward()", "    loss = loss.detach().requires_grad_()\n    loss.backward()")
seed("gpt_training", "key of param_groups that nothing reads", '"weight_decay": 0.1}', '"wd": 0.1}')
seed("gpt_training", "tied by copying", "self.wte.weight = self.lm_head.weight", "self.wte.weight = nn.Parameter(self.lm_head.weight.clone())")
seed("gpt_training", "one module for several layers", "nn.ModuleList([Block(config) for _ in range(config.n_layer)])", "nn.ModuleList([Block(config)] * config.n_layer)")
# Caches.
seed("cache_object", "positions begin again", "torch.arange(start, start + t)", "torch.arange(t)")
seed("cache_object", "the mask's corner", "triu(total - t + 1)", "triu(1)")
seed("cache_object", "keys cached before the rotation", "        cos, sin = rotary", "        if past_key_values is not None:\n            past_key_values.key_cache[self.layer_idx:self.layer_idx + 1] = [torch.cat([*past_key_values.key_cache[self.layer_idx:self.layer_idx + 1], k], dim=-2)]\n        cos, sin = rotary", "            k, v = past_key_values.update(k, v, self.layer_idx)\n", "            past_key_values.value_cache[self.layer_idx:self.layer_idx + 1] = [torch.cat([*past_key_values.value_cache[self.layer_idx:self.layer_idx + 1], v], dim=-2)]\n            k, v = past_key_values.key_cache[self.layer_idx], past_key_values.value_cache[self.layer_idx]\n")
seed("cache_object", "order of the cache", "torch.cat([self.key_cache[layer_idx], key], dim=-2)", "torch.cat([key, self.key_cache[layer_idx]], dim=-2)")
seed("cache_object", "keys in the cache of values", "torch.cat([self.value_cache[layer_idx], value], dim=-2)", "torch.cat([self.value_cache[layer_idx], key], dim=-2)")
seed("cache_object", "the first part is never stored", "            self.key_cache.append(key)\n            self.value_cache.append(value)\n", "            self.key_cache.append(key[:, :, 1:])\n            self.value_cache.append(value[:, :, 1:])\n            return key, value\n")
seed("cache_object", "groups tiled", "k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)", "k = k.repeat(1, self.heads // self.kv_heads, 1, 1)", "v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)", "v = v.repeat(1, self.heads // self.kv_heads, 1, 1)")
seed("cache_object", "rotation of queries only", "k * cos + rotate_half(k) * sin", "k")
seed("cache_in_module", "positions begin again in the layer", "rows, columns = torch.arange(start, start + t)", "rows, columns = torch.arange(t)")
seed("cache_in_module", "positions begin again in the model", "pos = torch.arange(self.current_pos, self.current_pos + ids.shape[1])", "pos = torch.arange(ids.shape[1])")
seed("cache_in_module", "not reset between texts", "        self.cache_k, self.cache_v, self.seen = None, None, 0\n\n\nclass Model", "        self.seen = 0\n\n\nclass Model")
seed("cache_in_module", "position not reset", "        self.att.reset_cache()\n        self.current_pos = 0", "        self.att.reset_cache()")
seed("cache_in_module", "scale of the model", "self.head_dim ** 0.5, dim=-1)", "self.d_out ** 0.5, dim=-1)")
seed("cache_in_module", "fill not in place", "scores.masked_fill_(", "scores.masked_fill(")
seed("cache_in_module", "order of the cache", "torch.cat([self.cache_v, values], dim=1)", "torch.cat([values, self.cache_v], dim=1)")
seed("static_cache", "start of the rotation", "self.freqs_cis[start_pos:start_pos + seqlen]", "self.freqs_cis[:seqlen]")
seed("static_cache", "written at the start", "self.cache_v[:bsz, start_pos:start_pos + seqlen] = xv", "self.cache_v[:bsz, :seqlen] = xv")
seed("static_cache", "the cache is cut by one", "keys = self.cache_k[:bsz, :start_pos + seqlen].repeat_interleave(self.n_rep, dim=2)\n        values = self.cache_v[:bsz, :start_pos + seqlen]", "keys = self.cache_k[:bsz, 1:start_pos + seqlen + 1].repeat_interleave(self.n_rep, dim=2)\n        values = self.cache_v[:bsz, 1:start_pos + seqlen + 1]")
seed("static_cache", "no mask", "if mask is not None:\n            scores = scores + mask", "if mask is not None:\n            scores = scores")
seed("ring_cache", "window off by one", "i[None, :] > i[:, None] - self.window", "i[None, :] >= i[:, None] - self.window")
seed("ring_cache", "slot off by one", "slot = position % self.window", "slot = (position + 1) % self.window")
# Masks that are added.
seed("bert_extended_mask", "inverted by addition", "extended = (1.0 - extended) * torch.finfo(x.dtype).min", "extended = extended * torch.finfo(x.dtype).min")
seed("bert_extended_mask", "too small a number", "(1.0 - extended) * torch.finfo(x.dtype).min", "(1.0 - extended) * -10.0")
seed("bert_extended_mask", "without the number", "extended = (1.0 - extended) * torch.finfo(x.dtype).min", "extended = 1.0 - extended")
seed("bert_extended_mask", "made and not passed on", "attention(x, extended)", "attention(x)")
seed("bert_extended_mask", "axis of the queries", "attention_mask[:, None, None, :]", "attention_mask[:, None, :, None]")
seed("bert_extended_mask", "kinds of tokens never used", " + self.kind(token_type_ids))", ")")
seed("bert_extended_mask", "values from the keys", "self.split(self.value(hidden_states))", "self.split(self.key(hidden_states))")
# Biases and positions.
seed("alibi_bias", "sign of the bias", "distance = i[None, :] - i[:, None]\n", "distance = (i[:, None] - i[None, :])\n", "distance > 0", "distance < 0")
seed("alibi_bias", "mask lost", '        bias = bias.masked_fill(distance > 0, float("-inf"))\n', "")
seed("alibi_bias", "bias not passed on", "attn_mask=bias", "is_causal=True")
seed("t5_buckets", "the bias is made and not used", "scores = scores + self.compute_bias(t, s)", "bias = self.compute_bias(t, s)")
seed("t5_buckets", "the decoder sees the future", "triu(1)", "triu(2)")
seed("t5_buckets", "cross-attention reads itself", "source = x if memory is None else memory", "source = x")
seed("latent_attention", "scale of one part", "(nope + rope) ** -0.5", "nope ** -0.5")
seed("latent_attention", "rotated part not rotated for keys", "k_pe = apply_rotary(k_pe[:, :, None, :], freqs)", "k_pe = k_pe[:, :, None, :]")
seed("deberta_disentangled", "scale of one term", "(3 * self.hd) ** 0.5", "self.hd")
seed("deberta_disentangled", "a term is lost", "(c2c + c2p + p2c)", "(c2c + p2c)")
seed("music_skewing", "positions not skewed", "attn = (q @ k_t + Srel)", "attn = (q @ k_t)")
seed("music_skewing", "mask of ones", "mask = torch.tril(torch.ones(seq, seq))", "mask = torch.ones(seq, seq)")
seed("music_skewing", "scale twice", "/ math.sqrt(self.d_head)", "/ self.d_head")
# Others.
seed("attention_pooling_queries", "patches cut by reshape", ".reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * p * p)", ".reshape(b, -1, c * p * p)")
seed("attention_pooling_queries", "mask only without weights", "if valid is not None:", "if valid is not None and not return_weights:")
seed("attention_pooling_queries", "validity inverted", "~valid[:, None", "valid[:, None")
seed("attention_pooling_queries", "weights mixed with the wrong axis", "sim.softmax(-1)", "sim.softmax(-2)")
seed("translator_training", "padding in the loss", "nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)", "nn.CrossEntropyLoss(label_smoothing=0.1)")
seed("translator_training", "targets not shifted", "tgt[:, :-1], tgt[:, 1:]", "tgt[:, :-1], tgt[:, :-1]")
seed("translator_training", "no causal mask", "(tgt_in != PAD).unsqueeze(-2) & subsequent_mask(tgt_in.size(-1))", "(tgt_in != PAD).unsqueeze(-2)")
seed("translator_training", "memory unmasked", "self.src_attn(self.norms[3](x), memory, memory, src_mask)", "self.src_attn(self.norms[3](x), memory, memory)")
seed("translator_training", "reads itself", "self.src_attn(self.norms[3](x), memory, memory, src_mask)", "self.src_attn(self.norms[3](x), x, x, tgt_mask)")
seed("translator_training", "text written with dropout on", "    model.eval()\n    with torch.no_grad():\n        memory", "    with torch.no_grad():\n        memory")
seed("classifier_training", "padding not given", "self.encoder(x, src_key_padding_mask=padding)", "self.encoder(x)")
seed("classifier_training", "padding inverted", "ids == 0], 1)", "ids != 0], 1)")
seed("classifier_training", "evaluated with dropout on", "    model.eval()\n", "")
seed("classifier_training", "left in eval", "    model.train()\n    for x, y in loader:\n", "    for x, y in loader:\n")
seed("classifier_training", "parameters in no optimizer", '{"params": rest, "weight_decay": 0.0}', '{"params": rest[:0] + rest[2:], "weight_decay": 0.0}')
seed("classifier_training", "probabilities in the loss", "return self.head(self.encoder(x, src_key_padding_mask=padding)[:, 0])", "return self.head(self.encoder(x, src_key_padding_mask=padding)[:, 0]).softmax(-1)")
seed("classifier_training", "batch as sequence", "batch_first=True", "batch_first=False")
seed("talking_heads_conv", "no softmax", "self.after(s.softmax(-1))", "self.after(s)")
seed("retention_scaled", "decay of the future", "torch.where(distance >= 0, self.gamma[:, None, None] ** distance.clamp(min=0), 0.0)", "self.gamma[:, None, None] ** distance.abs()")
seed("delta_chunked", "the diagonal is lost", "(qi @ ki.mT).tril()", "(qi @ ki.mT).tril(-1)")
seed("delta_chunked", "no triangle", "(qi @ ki.mT).tril()", "(qi @ ki.mT)")
seed("flash_backward", "no rescale", "O = O * alpha + P @ Vj", "O = O + P @ Vj")
seed("flash_backward", "delta left out", "dS = P * (dP - delta)", "dS = P * dP")
seed("gated_unit", "future in sight", "attn.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), 0.0)", "attn")
seed("sink_window", "sink first", "torch.cat([QK, S], dim=-1)", "torch.cat([S, QK], dim=-1)")
seed("sink_window", "window off by one", ">= self.window)", "> self.window)")
seed("performer_scaled", "features of queries only", "q, k = favor(q, self.W), favor(k, self.W)", "q, k = favor(q, self.W), k.exp()")
seed("lora_start", "scale missing", "F.scaled_dot_product_attention(q, k, v, is_causal=True)", "F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)")
seed("lora_start", "only part is trained", "trained = [p for p in layer.parameters() if p.requires_grad]", "trained = [layer.q_proj.A, layer.q_proj.B, layer.v_proj.A]")
# Kinds that were missed: biases by distance, windows, caches between two texts, masks that nothing reads, the scale of fused
# attention, linear attention, the delta rule. A window that is one key wider everywhere contradicts nothing but its name.
seed("mpt_alibi","distance sign","torch.arange(1 - seq_len, 1)","torch.arange(seq_len - 1, -1, -1)")
seed("mpt_alibi","bias unused","            mask = mask + attn_bias[..., -s:]\n","            attn_bias = attn_bias[..., -s:]\n")
seed("mpt_alibi","bias not passed","x = x + self.attn(self.norm_1(x), attn_bias)","x = x + self.attn(self.norm_1(x))")
seed("mpt_alibi","mask computed and unused","attn_mask=mask)","attn_mask=None)")
seed("mpt_alibi","scale of one","attn_mask=mask)","attn_mask=mask, scale=1.0)")
seed("mpt_alibi","one slope for all heads","alibi_slopes(n_heads).view(1, n_heads, 1, 1) * distance","alibi_slopes(n_heads)[0] * distance.expand(1, n_heads, 1, seq_len)")
seed("alibi_encoder","distance sign","bias = -self.slopes","bias = self.slopes")
seed("alibi_encoder","one side grows","(places[:, None] - places[None, :]).abs()","(places[:, None] - places[None, :])")
seed("alibi_encoder","bias unused","        scores = scores + bias\n","")
seed("alibi_encoder","mask computed and unused","        scores = scores.masked_fill(padding","        hidden = scores.masked_fill(padding")
seed("mistral_window","window off by one",'rows - columns < self.window','rows - columns <= self.window')
seed("mistral_window","window too small",'rows - columns < self.window','rows - columns < self.window - 1')
seed("mistral_window","cache one short","keys[:, :, -self.window:], values[:, :, -self.window:]","keys[:, :, 1 - self.window:], values[:, :, 1 - self.window:]")
seed("mistral_window","cache keeps the first","keys[:, :, -self.window:], values[:, :, -self.window:]","keys[:, :, :self.window], values[:, :, :self.window]")
seed("mistral_window","mask computed and unused","        scores = scores.masked_fill(~seen, float(\"-inf\"))\n","")
seed("longformer_local","global tokens unused","near[None] | is_global[:, :, None] | is_global[:, None, :]","near[None]")
seed("longformer_local","mask inverted","masked_fill(~allowed[:, None]","masked_fill(allowed[:, None]")
seed("longformer_local","mask computed and unused","        scores = scores.masked_fill(~allowed[:, None], torch.finfo(scores.dtype).min)\n","")
seed("two_texts","cache not reset","    model.reset_cache()\n","")
seed("two_texts","keys left by reset","            layer.reset()\n","            pass\n")
seed("two_texts","position not reset","        self.position = 0\n        for","        for")
seed("packed_sdpa","documents unused","(same & causal)[:, None]","causal[None, None].expand(documents.shape[0], 1, n, n)")
seed("packed_sdpa","mask computed and unused","attn_mask=mask, dropout_p=p","is_causal=True, dropout_p=p")
seed("packed_sdpa","scale of one","attn_mask=mask, dropout_p=p","attn_mask=mask, dropout_p=p, scale=1.0")
seed("gated_linear","no triangle","(q @ k.transpose(-2, -1)).tril()","(q @ k.transpose(-2, -1))")
seed("gated_linear","not normalised","scores @ v / scores.sum(-1, keepdim=True)","scores @ v")
seed("gated_linear","feature map of queries only","form(feature_map(q), feature_map(k), v)","form(feature_map(q), k, v)")
seed("gated_linear","keys as values","k[:, :, t, :, None] * v[:, :, t, None, :]","k[:, :, t, :, None] * k[:, :, t, None, :]")
seed("delta_net","recalled by the query","torch.einsum(\"bhk,bhkv->bhv\", k[:, :, t], state)","torch.einsum(\"bhk,bhkv->bhv\", q[:, :, t], state)")
seed("delta_net","state begins anew","        if state is None:\n            state","        state")
seed("delta_net","beta unused","change = beta[:, :, t, None] * (v[:, :, t] - recalled)","change = v[:, :, t] - recalled")
seed("delta_net","beta over tokens",".sigmoid().transpose(1, 2)",".softmax(1).transpose(1, 2)")
seed("prefix_padding_bias","mask inverted","(1.0 - attention_mask[:, None, None, :].float())","attention_mask[:, None, None, :].float()")
seed("prefix_padding_bias","bias unused","position_bias = self.bias(ids.shape[1]) + hidden","position_bias = hidden")
seed("prefix_padding_bias","padding unused","position_bias = self.bias(ids.shape[1]) + hidden","position_bias = self.bias(ids.shape[1])")
seed("prefix_padding_bias","bias dropped","        scores += position_bias\n","        scores + position_bias\n")
seed("blockwise_sdpa","scale missing","        q = q * q.shape[-1] ** -0.5\n","")
seed("blockwise_sdpa","scaled twice",", is_causal=True, scale=1.0)",", is_causal=True)")
seed("blockwise_sdpa","scale of the model","q = q * q.shape[-1] ** -0.5","q = q * x.shape[-1] ** -0.5")


def mutants(programs):
    for number, (program, kind, changes) in enumerate(SEEDS):
        if programs and program not in programs:
            continue
        source = (HERE / "correct" / f"{program}.py").read_text()
        for old, new in changes:
            assert source.count(old) >= 1, (program, kind, old)
            source = source.replace(old, new)
        yield f"{number:02d}_{program}", kind, source


def asked(attn, file):
    done = subprocess.run([attn, "doctor", "--json", str(file)], capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout.splitlines()[0])


def main(arguments):
    if arguments[0] == "--write":
        for name, _, source in mutants(()):
            (Path(arguments[1]) / f"{name}.py").write_text(source)
        return
    attn, *programs = arguments
    found = all_of = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        made = []
        for name, kind, source in mutants(programs):
            file = Path(folder) / f"{name}.py"
            file.write_text(source)
            made.append((name, kind, pool.submit(asked, attn, file)))
        for name, kind, report in made:
            report = report.result()
            codes = [f"{f['code']}:{f['line']}" for f in report["findings"]]
            found, all_of = found + bool(codes), all_of + 1
            error = "" if not report["error"] else " raised " + report["error"]["message"][:60]
            print(f"{'found ' if codes else 'MISSED'} {name:32} {kind:36} {' '.join(codes)}{error}", flush=True)
    print(f"{found} of {all_of} found")


main(sys.argv[1:])
