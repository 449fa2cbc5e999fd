# %% annotated transformer
import math, copy, time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
import matplotlib.pyplot as plt
import warnings
warnings.filterwarnings("ignore")
RUN_EXAMPLES = True
def is_interactive_notebook():
    return __name__ == "__main__"

def show_example(fn, args=[]):
    if __name__ == "__main__" and RUN_EXAMPLES:
        return fn(*args)

class DummyOptimizer(torch.optim.Optimizer):
    def __init__(self):
        self.param_groups = [{"lr": 0}]
        None
    def step(self):
        None
    def zero_grad(self, set_to_none=False):
        None

class DummyScheduler:
    def step(self):
        None
print(is_interactive_notebook())
def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])

class LayerNorm(nn.Module):
    "Construct a layernorm module (See citation for details)."
    def __init__(self, features, eps=1e-6):
        super(LayerNorm, self).__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps
    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2

class SublayerConnection(nn.Module):
    def __init__(self, size, dropout):
        super(SublayerConnection, self).__init__()
        self.norm = LayerNorm(size)
        self.dropout = nn.Dropout(dropout)
    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))

class EncoderLayer(nn.Module):
    def __init__(self, size, self_attn, feed_forward, dropout):
        super(EncoderLayer, self).__init__()
        self.self_attn = self_attn
        self.feed_forward = feed_forward
        self.sublayer = clones(SublayerConnection(size, dropout), 2)
        self.size = size
    def forward(self, x, mask):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask))
        return self.sublayer[1](x, self.feed_forward)

class Encoder(nn.Module):
    def __init__(self, layer, N):
        super(Encoder, self).__init__()
        self.layers = clones(layer, N)
        self.norm = LayerNorm(layer.size)
    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
print(LayerNorm(4))
def subsequent_mask(size):
    "Mask out subsequent positions."
    attn_shape = (1, size, size)
    subsequent_mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent_mask == 0
print(subsequent_mask(5))
print(subsequent_mask(3)[0].numpy(), subsequent_mask(3).dtype)
def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn

class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super(MultiHeadedAttention, self).__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)
    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        del query
        del key
        del value
        return self.linears[-1](x)
torch.manual_seed(0)
mha = MultiHeadedAttention(2, 8, 0.0)
print(mha)
out = mha(*[torch.randn(1, 3, 8)]*3, mask=subsequent_mask(3))
print(out)
print(mha.attn.shape, mha.attn[0, 0])
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super(PositionwiseFeedForward, self).__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x).relu()))

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len=5000):
        super(PositionalEncoding, self).__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        pe = pe.unsqueeze(0)
        self.register_buffer("pe", pe)
    def forward(self, x):
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return self.dropout(x)
pe = PositionalEncoding(20, 0)
y = pe.forward(torch.zeros(1, 100, 20))
plt.plot(np.arange(100), y[0, :, 4:8].data.numpy())
plt.legend(["dim %d" % p for p in [4, 5, 6, 7]])
print(plt.close('all'))
def rate(step, model_size, factor, warmup):
    if step == 0:
        step = 1
    return factor * (model_size ** (-0.5) * min(step ** (-0.5), step * warmup ** (-1.5)))

def example_learning_schedule():
    opts = [[512, 1, 4000], [512, 1, 8000], [256, 1, 4000]]
    dummy_model = torch.nn.Linear(1, 1)
    learning_rates = []
    for idx, example in enumerate(opts):
        optimizer = torch.optim.Adam(dummy_model.parameters(), lr=1, betas=(0.9, 0.98), eps=1e-9)
        lr_scheduler = LambdaLR(optimizer=optimizer, lr_lambda=lambda step: rate(step, *example))
        tmp = []
        for step in range(50):
            tmp.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            lr_scheduler.step()
        learning_rates.append(tmp)
    return torch.tensor(learning_rates)
lrs = example_learning_schedule()
print(lrs[:, ::10])
class LabelSmoothing(nn.Module):
    "Implement label smoothing."
    def __init__(self, size, padding_idx, smoothing=0.0):
        super(LabelSmoothing, self).__init__()
        self.criterion = nn.KLDivLoss(reduction="sum")
        self.padding_idx = padding_idx
        self.confidence = 1.0 - smoothing
        self.smoothing = smoothing
        self.size = size
        self.true_dist = None
    def forward(self, x, target):
        assert x.size(1) == self.size
        true_dist = x.data.clone()
        true_dist.fill_(self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.data.unsqueeze(1), self.confidence)
        true_dist[:, self.padding_idx] = 0
        mask = torch.nonzero(target.data == self.padding_idx)
        if mask.dim() > 0:
            true_dist.index_fill_(0, mask.squeeze(), 0.0)
        self.true_dist = true_dist
        return self.criterion(x, true_dist.clone().detach())
crit = LabelSmoothing(5, 0, 0.4)
predict = torch.FloatTensor([[0, 0.2, 0.7, 0.1, 0], [0, 0.2, 0.7, 0.1, 0], [0, 0.2, 0.7, 0.1, 0]])
print(crit(x=(predict + 1e-9).log(), target=torch.LongTensor([2, 1, 0])))
print(crit.true_dist)
def loss(x, crit):
    d = x + 3 * 1
    predict = torch.FloatTensor([[1e-9, x / d - 1e-9, 1 / d, 1 / d, 1 / d]])
    return crit(predict.log(), torch.LongTensor([1])).data
crit = LabelSmoothing(5, 0, 0.1)
print([loss(x, crit).item() for x in range(1, 5)])
class Batch:
    """Object for holding a batch of data with mask during training."""
    def __init__(self, src, tgt=None, pad=2):
        self.src = src
        self.src_mask = (src != pad).unsqueeze(-2)
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = self.make_std_mask(self.tgt, pad)
            self.ntokens = (self.tgt_y != pad).data.sum()
    @staticmethod
    def make_std_mask(tgt, pad):
        tgt_mask = (tgt != pad).unsqueeze(-2)
        tgt_mask = tgt_mask & subsequent_mask(tgt.size(-1)).type_as(tgt_mask.data)
        return tgt_mask
b = Batch(torch.tensor([[1, 3, 4, 2]]), torch.tensor([[1, 3, 4, 2]]))
print(b.src_mask, b.tgt_mask, b.ntokens)
print(b.__dict__)
class Generator(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.proj = nn.Linear(d_model, vocab)
    def forward(self, x):
        return F.log_softmax(self.proj(x), dim=-1)
g = Generator(8, 11)
print(g(torch.zeros(1, 8)).exp().sum().item(), g.proj.weight.shape, Generator.__mro__)
def data_gen(V, batch_size, nbatches):
    for i in range(nbatches):
        data = torch.randint(1, V, size=(batch_size, 10))
        data[:, 0] = 1
        src = data.requires_grad_(False).clone().detach()
        tgt = data.requires_grad_(False).clone().detach()
        yield Batch(src, tgt, 0)

batch = next(data_gen(11, 2, 1)); print(batch.src)
start = time.time()
for i, (b) in enumerate(data_gen(11, 2, 3)):
    if i % 2 == 0:
        print(("Epoch Step: %6d | Accumulation Step: %3d | Loss: %6.2f " + "| Learning Rate: %6.1e") % (i, i // 2, b.src.float().mean(), 1e-4))

# %% small gpt with groups of parameters
"""
Full definition of a GPT Language Model, all of it in this single file.
"""
import math
import inspect
from dataclasses import dataclass, field, asdict, replace
import torch
import torch.nn as nn
from torch.nn import functional as F
class LayerNorm(nn.Module):
    """ LayerNorm but with an optional bias. PyTorch doesn't support simply bias=False """
    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None
    def forward(self, input):
        return F.layer_norm(input, self.weight.shape, self.weight, self.bias, 1e-5)

class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.dropout = config.dropout
        self.flash = hasattr(torch.nn.functional, 'scaled_dot_product_attention')
        if not self.flash:
            print("WARNING: using slow attention. Flash Attention requires PyTorch >= 2.0")
            self.register_buffer("bias", torch.tril(torch.ones(config.block_size, config.block_size)).view(1, 1, config.block_size, config.block_size))
    def forward(self, x):
        B, T, C = x.size()
        q, k, v  = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=self.dropout if self.training else 0, is_causal=True)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        y = self.resid_dropout(self.c_proj(y))
        return y

class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc    = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.gelu    = nn.GELU(approximate='tanh')
        self.c_proj  = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)
    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))

class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, bias=config.bias)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = MLP(config)
    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x
@dataclass
class GPTConfig:
    block_size: int = 16
    vocab_size: int = 65
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 32
    dropout: float = 0.0
    bias: bool = True
print(GPTConfig())
print(asdict(GPTConfig(n_layer=1)), GPTConfig.__annotations__)
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.vocab_size is not None
        self.config = config
        self.transformer = nn.ModuleDict(dict(
            wte = nn.Embedding(config.vocab_size, config.n_embd),
            wpe = nn.Embedding(config.block_size, config.n_embd),
            drop = nn.Dropout(config.dropout),
            h = nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
            ln_f = LayerNorm(config.n_embd, bias=config.bias),
        ))
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith('c_proj.weight'):
                torch.nn.init.normal_(p, mean=0.0, std=0.02/math.sqrt(2 * config.n_layer))
        print("number of parameters: %.2fM" % (self.get_num_params()/1e6,))
    def get_num_params(self, non_embedding=True):
        n_params = sum(p.numel() for p in self.parameters())
        if non_embedding:
            n_params -= self.transformer.wpe.weight.numel()
        return n_params
    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
    def forward(self, idx, targets=None):
        device = idx.device
        b, t = idx.size()
        assert t <= self.config.block_size, f"Cannot forward sequence of length {t}, block size is only {self.config.block_size}"
        pos = torch.arange(0, t, dtype=torch.long, device=device)
        x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is not None:
            logits = self.lm_head(x)
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        else:
            logits = self.lm_head(x[:, [-1], :])
            loss = None
        return logits, loss
    def crop_block_size(self, block_size):
        assert block_size <= self.config.block_size
        self.config.block_size = block_size
        self.transformer.wpe.weight = nn.Parameter(self.transformer.wpe.weight[:block_size])
    def configure_optimizers(self, weight_decay, learning_rate, betas, device_type):
        param_dict = {pn: p for pn, p in self.named_parameters()}
        param_dict = {pn: p for pn, p in param_dict.items() if p.requires_grad}
        decay_params = [p for n, p in param_dict.items() if p.dim() >= 2]
        nodecay_params = [p for n, p in param_dict.items() if p.dim() < 2]
        optim_groups = [
            {'params': decay_params, 'weight_decay': weight_decay},
            {'params': nodecay_params, 'weight_decay': 0.0}
        ]
        num_decay_params = sum(p.numel() for p in decay_params)
        num_nodecay_params = sum(p.numel() for p in nodecay_params)
        print(f"num decayed parameter tensors: {len(decay_params)}, with {num_decay_params:,} parameters")
        print(f"num non-decayed parameter tensors: {len(nodecay_params)}, with {num_nodecay_params:,} parameters")
        fused_available = 'fused' in inspect.signature(torch.optim.AdamW).parameters
        use_fused = fused_available and device_type == 'cuda'
        extra_args = dict(fused=True) if use_fused else dict()
        optimizer = torch.optim.AdamW(optim_groups, lr=learning_rate, betas=betas, **extra_args)
        print(f"using fused AdamW: {use_fused}")
        return optimizer
    def estimate_mfu(self, fwdbwd_per_iter, dt):
        N = self.get_num_params()
        cfg = self.config
        L, H, Q, T = cfg.n_layer, cfg.n_head, cfg.n_embd//cfg.n_head, cfg.block_size
        flops_per_token = 6*N + 12*L*H*Q*T
        return flops_per_token * T * fwdbwd_per_iter / dt / 312e12
    @torch.no_grad()
    def generate(self, idx, max_new_tokens, temperature=1.0, top_k=None):
        for _ in range(max_new_tokens):
            idx_cond = idx if idx.size(1) <= self.config.block_size else idx[:, -self.config.block_size:]
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float('Inf')
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx
torch.manual_seed(1337)
model = GPT(GPTConfig())
print(model)
optimizer = model.configure_optimizers(1e-1, 3e-3, (0.9, 0.95), 'cpu')
print(optimizer)
print(f"{model.estimate_mfu(8, 1.0):.3e}")
print([n for n, p in model.named_parameters()])
X = torch.randint(65, (4, 8)); Y = torch.roll(X, -1, 1)
for it in range(4):
    logits, loss = model(X, Y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"iter {it}: loss {loss.item():.4f}, norm {norm:.3f}")
print(loss)
print(norm)
model.crop_block_size(8); print(model.config, model.transformer.wpe)
def get_lr(it, warmup_iters=3, lr_decay_iters=10, learning_rate=6e-4, min_lr=6e-5):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    if it > lr_decay_iters:
        return min_lr
    decay_ratio = (it - warmup_iters) / (lr_decay_iters - warmup_iters)
    assert 0 <= decay_ratio <= 1
    coeff = 0.5 * (1.0 + math.cos(math.pi * decay_ratio))
    return min_lr + coeff * (learning_rate - min_lr)
print({i: get_lr(i) for i in range(12)})
print(optimizer.state_dict()['param_groups'])
print(list(optimizer.state.values())[0]['step'], optimizer.state[model.lm_head.weight].keys())
print(inspect.getsource(get_lr))
print(inspect.signature(GPT.generate), inspect.signature(get_lr).parameters['min_lr'].default, GPT.generate.__name__)
from contextlib import nullcontext
ctx = nullcontext()
with ctx:
    print(torch.amp.autocast)

# %% bert with padding
import torch, torch.nn as nn, random, re
from collections import Counter, OrderedDict, namedtuple, deque, ChainMap
from pprint import pprint
torch.manual_seed(7); print(random.seed(7))
text = (
    'Hello, how are you? I am Romeo.\n'
    'Hello, Romeo My name is Juliet. Nice to meet you.\n'
    'Nice meet you too. How are you today?\n'
    'Great. My baseball team won the competition.\n'
)
sentences = re.sub("[.,!?\\-]", '', text.lower()).split('\n')
word_list = sorted(list(set(" ".join(sentences).split())))
word_dict = {'[PAD]': 0, '[CLS]': 1, '[SEP]': 2, '[MASK]': 3}
for i, w in enumerate(word_list):
    word_dict[w] = i + 4
number_dict = {i: w for i, w in enumerate(word_dict)}
vocab_size = len(word_dict)
print(word_dict)
token_list = [[word_dict[s] for s in sentence.split()] for sentence in sentences if sentence]
print(token_list)
pprint(OrderedDict(sorted(word_dict.items(), key=lambda kv: -kv[1])[:5]))
pprint(token_list, width=40, compact=True)
print(pprint({'config': dict(layers=2, heads=4, names=['a', 'b'] * 10), 'x': (1, 2)}, indent=2))
print(Counter(" ".join(sentences).split()).most_common(3), Counter("hello"))
Config = namedtuple('Config', 'd_model n_heads d_k max_len', defaults=(16, 2, 8, 12))
cfg = Config(); print(cfg)
print(cfg._replace(n_heads=4), cfg._asdict(), Config._fields)
def make_batch(batch_size=2, max_pred=2):
    batch = []
    positive = negative = 0
    while positive != batch_size / 2 or negative != batch_size / 2:
        a, b = random.randrange(len(token_list)), random.randrange(len(token_list))
        input_ids = [1] + token_list[a][:4] + [2] + token_list[b][:3] + [2]
        segment_ids = [0] * (1 + len(token_list[a][:4]) + 1) + [1] * (len(token_list[b][:3]) + 1)
        n_pred = min(max_pred, max(1, int(round(len(input_ids) * 0.15))))
        cand = [i for i, t in enumerate(input_ids) if t not in (1, 2)]
        random.shuffle(cand)
        masked_tokens, masked_pos = [], []
        for pos in cand[:n_pred]:
            masked_pos.append(pos); masked_tokens.append(input_ids[pos])
            if random.random() < 0.8:
                input_ids[pos] = 3
            elif random.random() < 0.5:
                input_ids[pos] = word_dict[number_dict[random.randint(0, vocab_size - 1)]]
        n_pad = cfg.max_len - len(input_ids)
        input_ids.extend([0] * n_pad); segment_ids.extend([0] * n_pad)
        if a + 1 == b and positive < batch_size / 2:
            batch.append([input_ids, segment_ids, masked_tokens, masked_pos, True]); positive += 1
        elif a + 1 != b and negative < batch_size / 2:
            batch.append([input_ids, segment_ids, masked_tokens, masked_pos, False]); negative += 1
    return batch
batch = make_batch()
input_ids, segment_ids, masked_tokens, masked_pos, isNext = map(list, zip(*batch))
input_ids = torch.LongTensor(input_ids); segment_ids = torch.LongTensor(segment_ids)
print(input_ids)
print(isNext, masked_tokens)
def get_attn_pad_mask(seq_q, seq_k):
    batch_size, len_q = seq_q.size()
    batch_size, len_k = seq_k.size()
    pad_attn_mask = seq_k.data.eq(0).unsqueeze(1)
    return pad_attn_mask.expand(batch_size, len_q, len_k)
m = get_attn_pad_mask(input_ids, input_ids); print(m[0][0], m.stride(), m.is_contiguous())
class BertEmbeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embed = nn.Embedding(vocab_size, cfg.d_model, padding_idx=0)
        self.pos_embed = nn.Embedding(cfg.max_len, cfg.d_model)
        self.seg_embed = nn.Embedding(2, cfg.d_model)
        self.LayerNorm = nn.LayerNorm(cfg.d_model, eps=1e-12)
        self.dropout = nn.Dropout(0.0)
        self.register_buffer("position_ids", torch.arange(cfg.max_len).expand((1, -1)), persistent=False)
    def forward(self, x, seg):
        e = self.tok_embed(x) + self.pos_embed(self.position_ids[:, :x.size(1)]) + self.seg_embed(seg)
        return self.dropout(self.LayerNorm(e))
emb = BertEmbeddings(); print(emb)
print(emb.tok_embed.weight[0], emb.tok_embed(torch.tensor([0, 3])).sum(-1))
h = emb(input_ids, segment_ids); print(h.shape, h.mean(), h.std())
print(h[0, :2])
encoder_layer = nn.TransformerEncoderLayer(d_model=16, nhead=2, dim_feedforward=32, dropout=0.0, activation="gelu", batch_first=True)
encoder = nn.TransformerEncoder(encoder_layer, num_layers=2, enable_nested_tensor=False)
encoder.eval()
print(encoder)
out = encoder(h, src_key_padding_mask=input_ids.eq(0)); print(out[:, 0, :4])
masked_pos_t = torch.tensor(masked_pos)[:, :, None].expand(-1, -1, 16)
h_masked = torch.gather(out, 1, masked_pos_t)
print(h_masked.shape)
decoder = nn.Linear(16, vocab_size, bias=False); decoder.weight = emb.tok_embed.weight
logits_lm = decoder(h_masked)
criterion = nn.CrossEntropyLoss()
print(criterion(logits_lm.transpose(1, 2), torch.tensor(masked_tokens)))
print(logits_lm.data.max(2))
print(logits_lm.data.max(2)[1].numpy())
print([number_dict[i.item()] for i in logits_lm.argmax(-1)[0]])
print(emb.state_dict().keys())
print(OrderedDict((k, tuple(v.shape)) for k, v in emb.state_dict().items()))
for name, p in list(emb.named_parameters())[:3]:
    print(f"{name:<30} {str(tuple(p.shape)):>12} {p.numel():>8,} {p.requires_grad!s:^7} {p.dtype}")
print("-" * 60)
print(f"{'Total':<30} {'':>12} {sum(p.numel() for p in emb.parameters()):>8,}")

# %% patches of images
import torch
from torch import nn, einsum, Tensor
import torch.nn.functional as F
from einops import rearrange, repeat, reduce
from einops.layers.torch import Rearrange, Reduce
from typing import Optional, Tuple, Union, List
def pair(t):
    return t if isinstance(t, tuple) else (t, t)
img = torch.arange(2*3*8*8, dtype=torch.float32).reshape(2, 3, 8, 8) / 100
patches = img.unfold(2, 4, 4).unfold(3, 4, 4)
print(patches.shape, patches.stride())
print(patches.permute(0, 2, 3, 1, 4, 5).reshape(2, 4, -1)[0, 1, :6])
unfold = nn.Unfold(kernel_size=4, stride=4)
print(unfold)
u = unfold(img); print(u.shape, u[0, :5, 0])
print(F.unfold(img, 3, padding=1, dilation=1, stride=2).shape)
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels: int = 3, patch_size: int = 4, emb_size: int = 16, img_size: int = 8):
        self.patch_size = patch_size
        super().__init__()
        self.projection = nn.Sequential(
            nn.Conv2d(in_channels, emb_size, kernel_size=patch_size, stride=patch_size),
            Rearrange('b e (h) (w) -> b (h w) e'),
        )
        self.cls_token = nn.Parameter(torch.randn(1, 1, emb_size))
        self.positions = nn.Parameter(torch.randn((img_size // patch_size) ** 2 + 1, emb_size))
    def forward(self, x: Tensor) -> Tensor:
        b, _, _, _ = x.shape
        x = self.projection(x)
        cls_tokens = repeat(self.cls_token, '() n e -> b n e', b=b)
        x = torch.cat([cls_tokens, x], dim=1)
        x += self.positions
        return x
torch.manual_seed(0)
pe = PatchEmbedding()
print(pe)
print(pe(img).shape, pe.projection[1])
print(pe(img)[0, :2, :4])
class Attention(nn.Module):
    def __init__(self, dim, heads = 8, dim_head = 64, dropout = 0.):
        super().__init__()
        inner_dim = dim_head *  heads
        project_out = not (heads == 1 and dim_head == dim)
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.attend = nn.Softmax(dim = -1)
        self.dropout = nn.Dropout(dropout)
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias = False)
        self.to_out = nn.Sequential(
            nn.Linear(inner_dim, dim),
            nn.Dropout(dropout)
        ) if project_out else nn.Identity()
    def forward(self, x):
        x = self.norm(x)
        qkv = self.to_qkv(x).chunk(3, dim = -1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> b h n d', h = self.heads), qkv)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        attn = self.attend(dots)
        attn = self.dropout(attn)
        out = torch.matmul(attn, v)
        out = rearrange(out, 'b h n d -> b n (h d)')
        return self.to_out(out)
print(Attention(16, heads=2, dim_head=8))
class FeedForward(nn.Sequential):
    def __init__(self, dim, mult=2):
        super().__init__(nn.LayerNorm(dim), nn.Linear(dim, dim*mult), nn.GELU(), nn.Linear(dim*mult, dim))
class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
    def forward(self, x, **kwargs):
        return x + self.fn(x, **kwargs)
class ViT(nn.Sequential):
    def __init__(self, depth=2, dim=16, n_classes=10):
        super().__init__(
            PatchEmbedding(emb_size=dim),
            nn.Sequential(*[nn.Sequential(ResidualAdd(Attention(dim, 2, 8)), ResidualAdd(FeedForward(dim))) for _ in range(depth)]),
            nn.Sequential(Reduce('b n e -> b e', reduction='mean'), nn.LayerNorm(dim), nn.Linear(dim, n_classes)))
vit = ViT(depth=1).eval()
print(vit)
with torch.no_grad():
    logits = vit(img)
probs = logits.softmax(-1); top = probs.topk(3)
print(top)
print(top.values, top.indices[0].tolist(), logits.argmax(dim=1) == torch.tensor([0, 1]))
print(len(vit), vit[0].positions.shape, [type(m).__name__ for m in vit.children()], isinstance(vit, nn.Module))
print(einsum('b n d, b m d -> b n m', logits[None], logits[None]))
x = torch.randn(2, 5, 16)
q = rearrange(x, 'b n (h d) -> (b h) n d', h=4); print(q.shape, reduce(x, 'b n d -> b', 'max'), einsum('bij,bij->b', x, x))
print(F.pad(torch.ones(1, 2, 2), (1, 1, 0, 1), value=-1), torch.nn.functional.one_hot(torch.arange(3), 4))

# %% sequence to sequence with additive attention
from __future__ import unicode_literals, print_function, division
from io import open
import unicodedata, string, re, random, time, math
import torch
import torch.nn as nn
from torch import optim
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader, RandomSampler
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device)
SOS_token = 0
EOS_token = 1
class Lang:
    def __init__(self, name):
        self.name = name
        self.word2index = {}
        self.word2count = {}
        self.index2word = {0: "SOS", 1: "EOS"}
        self.n_words = 2
    def addSentence(self, sentence):
        for word in sentence.split(' '):
            self.addWord(word)
    def addWord(self, word):
        if word not in self.word2index:
            self.word2index[word] = self.n_words
            self.word2count[word] = 1
            self.index2word[self.n_words] = word
            self.n_words += 1
        else:
            self.word2count[word] += 1
    def __repr__(self):
        return f"Lang({self.name!r}, {self.n_words} words)"
def unicodeToAscii(s):
    return ''.join(c for c in unicodedata.normalize('NFD', s) if unicodedata.category(c) != 'Mn')
def normalizeString(s):
    s = unicodeToAscii(s.lower().strip())
    s = re.sub(r"([.!?])", r" \1", s)
    s = re.sub(r"[^a-zA-Z!?]+", r" ", s)
    return s.strip()
print(unicodeToAscii('Ślusàrski'), normalizeString("Je ne suis pas là!  Ça va?"), string.punctuation, string.ascii_letters[:10])
raw = "I am cold.\tJ'ai froid.\nHe is tall.\tIl est grand.\nWe are ok.\tNous sommes d'accord."
pairs = [[normalizeString(s) for s in l.split('\t')] for l in raw.split('\n')]
src, tgt = Lang("eng"), Lang("fra")
for a, b in pairs:
    src.addSentence(a); tgt.addSentence(b)
print("Counted words:"); print(src.name, src.n_words); print(tgt.name, tgt.n_words)
random.seed(3); print(random.choice(pairs))
print(src)
class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.0):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)
    def forward(self, input):
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden
class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super(BahdanauAttention, self).__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)
    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)
        return context, weights
class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, max_length=6):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.max_length = max_length
    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, 1, dtype=torch.long, device=device).fill_(SOS_token)
        decoder_hidden = encoder_hidden
        decoder_outputs = []
        attentions = []
        for i in range(self.max_length):
            decoder_output, decoder_hidden, attn_weights = self.forward_step(decoder_input, decoder_hidden, encoder_outputs)
            decoder_outputs.append(decoder_output)
            attentions.append(attn_weights)
            if target_tensor is not None:
                decoder_input = target_tensor[:, i].unsqueeze(1)
            else:
                _, topi = decoder_output.topk(1)
                decoder_input = topi.squeeze(-1).detach()
        decoder_outputs = torch.cat(decoder_outputs, dim=1)
        decoder_outputs = F.log_softmax(decoder_outputs, dim=-1)
        attentions = torch.cat(attentions, dim=1)
        return decoder_outputs, decoder_hidden, attentions
    def forward_step(self, input, hidden, encoder_outputs):
        embedded = self.embedding(input)
        query = hidden.permute(1, 0, 2)
        context, attn_weights = self.attention(query, encoder_outputs)
        input_gru = torch.cat((embedded, context), dim=2)
        output, hidden = self.gru(input_gru, hidden)
        output = self.out(output)
        return output, hidden, attn_weights
import numpy as np
MAX_LENGTH = 6
def get_dataloader(batch_size):
    n = len(pairs)
    input_ids = np.zeros((n, MAX_LENGTH), dtype=np.int32)
    target_ids = np.zeros((n, MAX_LENGTH), dtype=np.int32)
    for idx, (inp, tg) in enumerate(pairs):
        inp_ids = [src.word2index[w] for w in inp.split(' ')] + [EOS_token]
        tgt_ids = [tgt.word2index[w] for w in tg.split(' ')] + [EOS_token]
        input_ids[idx, :len(inp_ids)] = inp_ids
        target_ids[idx, :len(tgt_ids)] = tgt_ids
    train_data = TensorDataset(torch.LongTensor(input_ids).to(device), torch.LongTensor(target_ids).to(device))
    return DataLoader(train_data, sampler=RandomSampler(train_data), batch_size=batch_size)
torch.manual_seed(11)
train_dataloader = get_dataloader(2)
print(len(train_dataloader), train_dataloader.dataset[0])
encoder = EncoderRNN(src.n_words, 16).to(device); decoder = AttnDecoderRNN(16, tgt.n_words).to(device)
print(encoder, decoder)
def asMinutes(s):
    m = math.floor(s / 60)
    s -= m * 60
    return '%dm %ds' % (m, s)
encoder_optimizer = optim.Adam(encoder.parameters(), lr=0.01); decoder_optimizer = optim.Adam(decoder.parameters(), lr=0.01)
criterion = nn.NLLLoss()
plot_losses = []
for epoch in range(1, 7):
    total_loss = 0
    for data in train_dataloader:
        input_tensor, target_tensor = data
        encoder_optimizer.zero_grad(); decoder_optimizer.zero_grad()
        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)
        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))
        loss.backward()
        encoder_optimizer.step(); decoder_optimizer.step()
        total_loss += loss.item()
    plot_losses.append(total_loss / len(train_dataloader))
    if epoch % 2 == 0:
        print('%s (%d %d%%) %.4f' % (asMinutes(61.2), epoch, epoch / 6 * 100, plot_losses[-1]))
print(encoder.gru._parameters.keys() if hasattr(encoder.gru, '_parameters') else None)
print([(n, p.shape) for n, p in encoder.gru.named_parameters()])
h = None
out, h = encoder.gru(torch.randn(1, 2, 16), h)

# %% attention in numpy classes
import numpy as np
from abc import ABC, abstractmethod
from typing import Protocol, Any, Callable, Dict, Iterable, NamedTuple, TypeVar, Generic, runtime_checkable
from enum import Enum, auto, IntEnum
from functools import partial, lru_cache, reduce
import itertools, json, textwrap, operator
np.set_printoptions(precision=4, suppress=True)
rng = np.random.default_rng(0)

class Layer(ABC):
    @abstractmethod
    def forward(self, x): ...
    def __call__(self, x):
        return self.forward(x)
class Linear(Layer):
    def __init__(self, n_in: int, n_out: int, *, rng=rng):
        self.W = rng.standard_normal((n_in, n_out)) / np.sqrt(n_in)
        self.b = np.zeros(n_out)
    def forward(self, x):
        self.x = x
        return x @ self.W + self.b
    def backward(self, g):
        self.dW = self.x.reshape(-1, self.x.shape[-1]).T @ g.reshape(-1, g.shape[-1])
        self.db = g.sum(axis=tuple(range(g.ndim - 1)))
        return g @ self.W.T
    def __repr__(self):
        return f"{type(self).__name__}({self.W.shape[0]} -> {self.W.shape[1]})"
lin = Linear(4, 3); print(lin)
print(lin.W)
class SelfAttention(Layer):
    def __init__(self, d):
        self.q, self.k, self.v = (Linear(d, d) for _ in range(3))
    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        s -= s.max(axis=-1, keepdims=True)
        e = np.exp(s)
        self.a = e / e.sum(axis=-1, keepdims=True)
        return self.a @ v
x = rng.normal(size=(2, 3, 4))
att = SelfAttention(4); print(att(x))
print(att.a[0], att.a.sum(-1), att.a.dtype, att.a.nbytes, att.a.flags['C_CONTIGUOUS'])
@runtime_checkable
class HasForward(Protocol):
    def forward(self, x: np.ndarray) -> np.ndarray: ...
print(isinstance(att, HasForward), isinstance(3, HasForward))
class Head(NamedTuple):
    index: int
    weights: np.ndarray
    name: str = "head"
h = Head(0, att.a[0, 0]); print(h)
@lru_cache(maxsize=None)
def angle_rate(i, d):
    return 1 / np.power(10000, (2 * (i // 2)) / d)
def positional_encoding(position, d_model):
    angle_rads = np.arange(position)[:, np.newaxis] * angle_rate_v(np.arange(d_model)[np.newaxis, :], d_model)
    angle_rads[:, 0::2] = np.sin(angle_rads[:, 0::2])
    angle_rads[:, 1::2] = np.cos(angle_rads[:, 1::2])
    return angle_rads[np.newaxis, ...]
angle_rate_v = np.vectorize(angle_rate)
print(positional_encoding(4, 6), angle_rate.cache_info())
def numerical_gradient(f, x, eps=1e-5):
    grad = np.zeros_like(x)
    for ix in np.ndindex(x.shape):
        old = x[ix]
        x[ix] = old + eps; hi = f(x)
        x[ix] = old - eps; lo = f(x)
        x[ix] = old
        grad[ix] = (hi - lo) / (2 * eps)
    return grad
w = np.array([[1., 2.], [3., 4.]])
print(numerical_gradient(lambda a: (a ** 2).sum(), w))
vocab = {c: i for i, c in enumerate(sorted(set("attention is all you need")))}
one_hot = np.eye(len(vocab))[[vocab[c] for c in "need"]]
print(one_hot.astype(int), one_hot.shape)
print(json.dumps({"vocab": len(vocab), "first": list(vocab)[:3], "w": w.tolist()}, indent=2))
print(textwrap.fill("Attention is a mechanism that lets each position look at every other position of the sequence.", width=40))
print(textwrap.dedent("""
    a
      b
"""))
print(textwrap.shorten("The quick brown fox jumps", width=15), textwrap.wrap("aaa bbb ccc", 4), textwrap.indent("x\ny", "> "))
print(list(itertools.product("ab", range(2))), list(itertools.combinations([1, 2, 3], 2)), list(itertools.accumulate([1, 2, 3])), [list(g) for k, g in itertools.groupby("aabbc")])
print(reduce(operator.mul, [1, 2, 3, 4]), partial(pow, 2)(5), list(zip(*[[1, 2], [3, 4]])), max({'a': 1, 'b': 2}.items(), key=operator.itemgetter(1)))
np.random.seed(42)
A = np.random.rand(3, 3); B = np.random.randint(0, 10, (3, 3))
print(A, B, A @ B, A.T.strides)
print({"mean": A.mean(), "std": A.std(), "argmax": A.argmax(), "max": A.max(axis=0)})
print(B.dtype, type(B), type(B[0, 0]), B[0, 0], B.sum(), B.mean(axis=1))
print(np.einsum('ij,jk->ik', A, B), np.tensordot(A, B, axes=1).shape)
print([A[0], B[0]], (A > .5), np.where(A > .5), np.argwhere(A > .5))
mask = np.tril(np.ones((4, 4)))
mask[mask == 0] = -np.inf
print(mask)
print(mask.astype(np.float32))
print(np.log(np.array([0., 1.])))
print(w / 0)
print(np.float32(0.1), np.float64(0.1), np.int64(3), np.bool_(True), np.pi, np.inf, np.nan, np.newaxis)
print(np.finfo(np.float32).eps)
print(np.dtype('float32'), np.float32, A.shape, A.T, A.tolist())
print(type(lambda: 0), range(3), slice(1, 2), (i for i in range(3)).__class__, map, zip([1], [2]).__class__, enumerate)
print(np.array(['the', 'cat', 'sat']))
print(np.mean([1, 2, 3]), np.var([1., 2.]), np.median([3, 1, 2]), np.percentile([1, 2, 3, 4], 50), np.histogram([1, 2, 1], bins=2))
print(np.linalg.svd(A)[1], np.linalg.matrix_rank(A), np.linalg.det(B), np.linalg.eigvalsh(np.diag([1., 2.])))
A.sort(axis=1); print(A)

# %% what values look like
import torch, torch.nn as nn, torch.nn.functional as F
import torch.distributions as D
torch.manual_seed(0)
t = torch.randn(2, 3)
print(t, t.dtype, t.device, t.shape, t.size(), t.stride(), t.layout, t.requires_grad, t.is_leaf)
print({'q': t, 'k': [t[0], t[1]], 'n': None, 'd': torch.float16})
print([t.numpy(), t.tolist()])
print(t.max(dim=1))
print(t.sort(descending=True))
print(torch.Size([2, 3]), torch.Size([2, 3]).numel(), t.shape[-1], tuple(t.shape), list(t.shape))
print(torch.device('cpu'), torch.device('cuda:0'), torch.device('cpu').type, torch.float32.is_floating_point, torch.finfo(torch.float32))

print(D.Categorical(probs=torch.tensor([.2, .8])), D.Normal(0., 1.))
print(D.Categorical(logits=torch.zeros(4)).entropy(), D.Categorical(torch.tensor([.5, .5])).sample((3,)), D.Normal(torch.tensor(0.), 1.).log_prob(torch.tensor(0.5)))
print(nn.Parameter(torch.ones(2, 2)))
print(nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2, 2))]))
print(nn.ModuleDict({'lin': nn.Linear(2, 2), 'act': nn.ReLU(inplace=True)}))
print(nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Dropout(p=.5), nn.LayerNorm(3), nn.Softmax(dim=-1), nn.Embedding(4, 2), nn.Flatten(1), nn.LeakyReLU(.1), nn.ELU(), nn.SiLU(), nn.Sigmoid(), nn.Identity(), nn.BatchNorm1d(3), nn.Conv1d(1, 2, 3), nn.LSTM(2, 3, num_layers=2, bidirectional=True, batch_first=True), nn.GELU(), nn.CrossEntropyLoss(), nn.MSELoss(), nn.RMSNorm(4), nn.LogSoftmax(dim=1), nn.Softplus(), nn.GLU()))
print(nn.Transformer(8, 2, 1, 1, 16, batch_first=True))
print(nn.MultiheadAttention(8, 2))
print(nn.TransformerDecoderLayer(8, 2, 16))
print(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=.1, momentum=.9))
print(torch.optim.lr_scheduler.StepLR(torch.optim.Adam([nn.Parameter(torch.ones(1))]), 1).get_last_lr())
a = torch.tensor([1., 2.], requires_grad=True); b = (a * 2).sum()
print(torch.arange(24).reshape(2, 3, 4))
print(torch.arange(2000))
print(torch.rand(100, 100))
print(torch.tensor([]), torch.tensor(3), torch.tensor(3.5).item(), torch.empty(0, 3), torch.tensor([True, False]), torch.tensor([1e-10, 1, 1e5]), torch.tensor(float('inf')))
print(torch.tensor([1.5, 2.5]).half(), torch.tensor([1.5]).bfloat16(), torch.tensor([1, 2], dtype=torch.int32), torch.zeros(2, dtype=torch.uint8), torch.tensor([1+2j]))
torch.set_printoptions(precision=2, sci_mode=False); print(t / 1000, t)
torch.set_printoptions(profile='default'); print(torch.linspace(0, 1, 5), torch.eye(2), torch.full((2,), 7), torch.zeros_like(t), torch.randperm(5))
print(torch.allclose(a, a), torch.equal(a, a), a is a, torch.is_tensor(a))
print(t.unsqueeze(0).expand(2, -1, -1).storage_offset(), t[1].storage_offset(), t.element_size() * t.nelement(), t.type(), t.ndim)
import warnings
warnings.warn("careful")
print("after")
print(t.mean(dim=0, keepdim=True), t.std(unbiased=False), t.var(0), t.norm(), t.abs().max(), t.clamp(0, 1), t.pow(2).sum().sqrt())
print(torch.topk(t, 2), torch.unique(torch.tensor([1, 2, 1]), return_counts=True), torch.where(t > 0), torch.nonzero(t > 0), t.nonzero(as_tuple=True))
print(torch.split(torch.arange(5), 2), torch.arange(6).chunk(3), torch.stack([t, t]).shape, t.unbind(0), torch.meshgrid(torch.arange(2), torch.arange(2), indexing='ij'))
print(torch.quantile(t, .5), torch.bincount(torch.tensor([0, 1, 1])), torch.cumsum(t, 1), torch.outer(t[0], t[1]), torch.diag(torch.ones(2)), torch.searchsorted(torch.tensor([1, 3, 5]), 3))
print(object().__class__, Exception('x'), ValueError('a', 1), ..., NotImplemented, b'bytes', 1e100, 1j, 10**20, float('nan'), -0.0)
print("multi\nline", 'it\'s', "tab\t", r"\d", 'ü')
print("multi\nline")
print("multi\nline", end=""); print(3)
x = 5

# %% language model with nn.TransformerEncoder
import math, os, time
from tempfile import TemporaryDirectory
from typing import Tuple, Optional
import torch
from torch import nn, Tensor
from torch.nn import TransformerEncoder, TransformerEncoderLayer
from torch.utils.data import dataset, Dataset, DataLoader, random_split
torch.manual_seed(0)
class TransformerModel(nn.Module):
    def __init__(self, ntoken: int, d_model: int, nhead: int, d_hid: int, nlayers: int, dropout: float = 0.5):
        super().__init__()
        self.model_type = 'Transformer'
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        encoder_layers = TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.transformer_encoder = TransformerEncoder(encoder_layers, nlayers)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()
    def init_weights(self) -> None:
        initrange = 0.1
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-initrange, initrange)
    def forward(self, src: Tensor, src_mask: Tensor = None) -> Tensor:
        src = self.embedding(src) * math.sqrt(self.d_model)
        src = self.pos_encoder(src)
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src)).to(src.device)
        output = self.transformer_encoder(src, src_mask)
        return self.linear(output)
class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 100):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer('pe', pe)
    def forward(self, x: Tensor) -> Tensor:
        x = x + self.pe[:x.size(0)]
        return self.dropout(x)
model = TransformerModel(20, 8, 2, 16, 1, 0.0)
print(model)
print(nn.Transformer.generate_square_subsequent_mask(4))
def batchify(data: Tensor, bsz: int) -> Tensor:
    seq_len = data.size(0) // bsz
    data = data[:seq_len * bsz]
    data = data.view(bsz, seq_len).t().contiguous()
    return data
train_data = batchify(torch.randint(20, (41,)), 4); print(train_data.shape, train_data[:2])
bptt = 4
def get_batch(source: Tensor, i: int) -> Tuple[Tensor, Tensor]:
    seq_len = min(bptt, len(source) - 1 - i)
    data = source[i:i+seq_len]
    target = source[i+1:i+1+seq_len].reshape(-1)
    return data, target
print(get_batch(train_data, 0))
criterion = nn.CrossEntropyLoss()
lr = 5.0
optimizer = torch.optim.SGD(model.parameters(), lr=lr)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)
for epoch in range(2):
    model.train(); total_loss = 0.
    for batch, i in enumerate(range(0, train_data.size(0) - 1, bptt)):
        data, targets = get_batch(train_data, i)
        output = model(data)
        loss = criterion(output.view(-1, 20), targets)
        optimizer.zero_grad(); loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step(); total_loss += loss.item()
        print(f'| epoch {epoch:3d} | {batch:5d}/{3:5d} batches | lr {scheduler.get_last_lr()[0]:02.2f} | loss {loss.item():5.2f} | ppl {math.exp(loss.item()):8.2f}')
    print('-' * 89); scheduler.step()
mha = nn.MultiheadAttention(8, 2, batch_first=True); x = torch.rand(1, 3, 8)
o, w = mha(x, x, x, average_attn_weights=False); print(o.shape, w)
print(mha(x, x, x, need_weights=False))
class SquaresDataset(Dataset):
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i): return torch.tensor([i, i + 1.]), i ** 2
ds = SquaresDataset(7)
print(len(ds), ds[3], random_split(ds, [5, 2])[0].indices)
dl = DataLoader(ds, batch_size=3, shuffle=True, drop_last=False)
for xb, yb in dl: print(xb.shape, yb, yb.dtype)
print(next(iter(dl)))

def collate(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs), torch.tensor(ys)
print([b[1].tolist() for b in DataLoader(ds, batch_size=4, collate_fn=collate)])
from torch.nn.utils.rnn import pad_sequence
seqs = [torch.tensor([1, 2, 3]), torch.tensor([4])]
padded = pad_sequence(seqs, batch_first=True, padding_value=-1); print(padded)
print(torch.nn.functional.scaled_dot_product_attention(x, x, x), torch.baddbmm(torch.zeros(1), x, x.mT).shape)
print(sum(p.numel() for p in model.parameters() if p.requires_grad), [(k, v.shape) for k, v in model.state_dict().items()][:3])
print(torch.compile(model) is not None if False else model.training)
for m in model.modules():
    if isinstance(m, nn.Linear): print(m, m.weight.abs().mean().item() > 0)
print(model.embedding.weight.grad.norm(), model.linear.bias.grad.shape)
print(list(model.children())[0], dict(model.named_modules()).keys())
print(model.get_parameter('linear.bias').shape, model.pe if hasattr(model, 'pe') else 'none', model._modules.keys())
print(model.double()(train_data[:2]).dtype, next(model.parameters()).dtype)

# %% relative positions
import numpy as np, torch
from torch import nn
from collections import namedtuple
import random
def set_seed(s=0):
    random.seed(s); np.random.seed(s); torch.manual_seed(s)
print(set_seed(1))
class RelativePosition(nn.Module):
    def __init__(self, num_units, max_relative_position):
        super().__init__()
        self.num_units = num_units
        self.max_relative_position = max_relative_position
        self.embeddings_table = nn.Parameter(torch.Tensor(max_relative_position * 2 + 1, num_units))
        nn.init.xavier_uniform_(self.embeddings_table)
    def forward(self, length_q, length_k):
        range_vec_q = torch.arange(length_q)
        range_vec_k = torch.arange(length_k)
        distance_mat = range_vec_k[None, :] - range_vec_q[:, None]
        distance_mat_clipped = torch.clamp(distance_mat, -self.max_relative_position, self.max_relative_position)
        final_mat = distance_mat_clipped + self.max_relative_position
        final_mat = torch.LongTensor(final_mat)
        self.final = final_mat
        return self.embeddings_table[final_mat]
rp = RelativePosition(4, 2); out = rp(3, 4); print(out.shape, rp.final)
print(out[0])
def get_slopes(n):
    import math
    start = 2 ** (-2 ** -(math.log2(n) - 3))
    return [start * start ** i for i in range(n)]
print(torch.Tensor(get_slopes(8)))
alibi = torch.tensor(get_slopes(2)).view(2, 1, 1) * -torch.abs(torch.arange(3)[None] - torch.arange(3)[:, None])
print(alibi)
def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)
inv_freq = 1.0 / (10000 ** (torch.arange(0, 8, 2).float() / 8))
t = torch.arange(5, dtype=inv_freq.dtype)
freqs = torch.einsum("i,j->ij", t, inv_freq)
emb = torch.cat((freqs, freqs), dim=-1)
cos, sin = emb.cos()[None, :, :], emb.sin()[None, :, :]
q = torch.randn(1, 5, 8)
print((q * cos) + (rotate_half(q) * sin))
print(inv_freq, freqs)
def rel_shift(x):
    zero_pad = torch.zeros((*x.size()[:2], x.size(2), 1))
    xp = torch.cat([zero_pad, x], dim=-1).view(*x.size()[:2], x.size(3) + 1, x.size(2))
    return xp[:, :, 1:].view_as(x)
print(rel_shift(torch.arange(9.).view(1, 1, 3, 3)))
bias = nn.Embedding(32, 2)
def bucket(relative_position, num_buckets=32, max_distance=128):
    n = -relative_position
    n = torch.max(n, torch.zeros_like(n))
    max_exact = num_buckets // 2
    is_small = n < max_exact
    val = max_exact + (torch.log(n.float() / max_exact) / np.log(max_distance / max_exact) * (num_buckets - max_exact)).to(torch.long)
    val = torch.min(val, torch.full_like(val, num_buckets - 1))
    return torch.where(is_small, n, val)
r = torch.arange(0, -60, -6)[None]; print(bucket(r))
print(bias(bucket(r)).permute(2, 0, 1).shape)
window = torch.arange(6)[None] - torch.arange(6)[:, None]
band = (window.abs() <= 1); print(band.int())
print(band.float().masked_fill(~band, float('-inf')).masked_fill(band, 0.))
from itertools import product
for h, d in product([2, 4], [8, 16]):
    m = nn.MultiheadAttention(d, h); print(f"{h=} {d=} params={sum(p.numel() for p in m.parameters()):>6,}")
x = np.linspace(-3, 3, 7)
gelu = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
for a, b in zip(x, gelu): print(f"{a:+.2f} -> {b:+.4f}")
print(np.allclose(gelu, nn.GELU('tanh')(torch.from_numpy(x)).numpy()), torch.from_numpy(x).dtype)
class Tokenizer:
    PAD, UNK = '<pad>', '<unk>'
    def __init__(self): self.w2i = {self.PAD: 0, self.UNK: 1}
    def fit(self, texts):
        for t in texts:
            for w in t.lower().split(): self.w2i.setdefault(w, len(self.w2i))
        return self
    def __call__(self, texts, max_len=None):
        ids = [[self.w2i.get(w, 1) for w in t.lower().split()] for t in texts]
        n = max_len or max(map(len, ids))
        return torch.tensor([i[:n] + [0] * (n - len(i)) for i in ids])
    @property
    def i2w(self): return {i: w for w, i in self.w2i.items()}
tk = Tokenizer().fit(["the cat sat", "the dog"]); print(tk(["the cat", "a dog sat"]))
print(tk.i2w)


# %% arrays of text, eigenvalues, draws
import numpy as np
words = np.array("the quick brown fox jumps over the lazy dog and then runs away from the big bad wolf".split())
print(words)
print(words[:3], words.shape, words.dtype, words == "the", words[words == "the"])
print(words[:4]); print(words.reshape(2, -1)[:, :3])
print(np.unique(words), np.unique(words, return_counts=True)[1])
np.random.seed(0); print(np.random.choice(words, 4), np.random.permutation(words)[:3], np.random.choice(["x", "y"], (2, 2)))
labels = np.array(["cat", "dog"]); print(labels[[0, 1, 1]], labels[np.array([0.2, .8]).argmax()], type(labels[0]), labels.tolist())
print(np.array([["a", "bb"], ["ccc", "d"]]), np.array([["a", "bb"], ["ccc", "d"]]).T)
print("the" in words, len(words), [w for w in words[:2]], {w: i for i, w in enumerate(words[:2])})
print(np.sort(words)[:2], np.argsort(words)[:3])
words[0] = "a"; print(words[:2])
print(list(zip(words[:2], [1, 2])), " ".join(words[:3]), words[0].upper(), words.size, words.ndim)
w, v = np.linalg.eigh(np.array([[2., 1.], [1., 3.]])); print(w, v)
print(np.linalg.eigh(np.array([[.9, .1], [.1, .5]])), np.linalg.eigvalsh(np.array([[4., 1., 0.], [1., 3., 1.], [0., 1., 2.]])))
a = np.arange(4); b = a[1:]; c = b[::2]; print(b.base is a, c.base is a, a.base is None, a.T.base is a, a.reshape(2, 2).base is a, a.copy().base, np.split(a, 2)[0].base is a)

# %% folds, sources and second passes
import torch, torch.nn as nn, torch.nn.functional as F, inspect
torch.manual_seed(0)
x = torch.randn(2, 3, requires_grad=True)
y = (x * 2).sum(); y.backward(); print(x.grad)
w = (x + 1).sum(); w.backward(); w.backward(); print(x.grad)
img = torch.randn(1, 2, 5, 5, requires_grad=True)
u = F.unfold(img, (2, 3), dilation=1, padding=1, stride=2); print(u.shape, u[0, 0])
u.pow(2).sum().backward(); print(img.grad[0, 0])
conv = nn.Conv2d(2, 3, 2, stride=2)
gru = nn.GRU(3, 2, batch_first=True); o, h = gru(torch.randn(1, 2, 3)); print(o, h)
o.sum().backward()
u2 = nn.Unfold(2)(torch.arange(9.).view(1, 1, 3, 3)); print(u2)
print(torch.optim.AdamW(gru.parameters(), lr=1e-3))
print(torch.distributions.Normal(torch.zeros(2), 1.))
@torch.no_grad()
def generate(model, n=3, *, temperature: float = 1.0) -> list:
    """Doc."""
    return [n,
            temperature]
print(inspect.getsource(generate))
def outer():
    def inner(a,
              b=(1,
                 2)):
        # comment
        return a
    return inner
print(inspect.getsource(outer()))
import unicodedata
print([unicodedata.normalize(f, "é①") for f in ("NFC", "NFD", "NFKC", "NFKD")], unicodedata.category("A"), unicodedata.combining("\u0301"))
class A: pass


loss = nn.MSELoss()(x, torch.zeros(2, 3))

# %% byte pairs from scratch
text = "Ｕｎｉｃｏｄｅ! 🅤🅝🅘🅒🅞🅓🅔‽ 😄 The very name strikes fear and awe into the hearts of programmers worldwide. aaabdaaabac"
tokens = text.encode("utf-8")
tokens = list(map(int, tokens))
print('---'); print(text[:30]); print("length:", len(text)); print('---'); print(tokens[:20]); print("length:", len(tokens))
def get_stats(ids):
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts
stats = get_stats(tokens)
print(sorted(((v, k) for k, v in stats.items()), reverse=True)[:5])
top_pair = max(stats, key=stats.get); print(top_pair)
def merge(ids, pair, idx):
    newids = []
    i = 0
    while i < len(ids):
        if i < len(ids) - 1 and ids[i] == pair[0] and ids[i+1] == pair[1]:
            newids.append(idx); i += 2
        else:
            newids.append(ids[i]); i += 1
    return newids
print(merge([5, 6, 6, 7, 9, 1], (6, 7), 99))
vocab_size = 266; num_merges = vocab_size - 256
ids = list(tokens); merges = {}
for i in range(num_merges):
    stats = get_stats(ids); pair = max(stats, key=stats.get); idx = 256 + i
    print(f"merging {pair} into a new token {idx}")
    ids = merge(ids, pair, idx); merges[pair] = idx
print("tokens length:", len(tokens)); print("ids length:", len(ids)); print(f"compression ratio: {len(tokens) / len(ids):.2f}X")
vocab = {idx: bytes([idx]) for idx in range(256)}
for (p0, p1), idx in merges.items():
    vocab[idx] = vocab[p0] + vocab[p1]
def decode(ids):
    tokens = b"".join(vocab[idx] for idx in ids)
    return tokens.decode("utf-8", errors="replace")
print(decode([128])); print(decode(ids) == text, vocab[256], [vocab[i] for i in range(260, 266)])
def encode(text):
    tokens = list(text.encode("utf-8"))
    while len(tokens) >= 2:
        stats = get_stats(tokens)
        pair = min(stats, key=lambda p: merges.get(p, float("inf")))
        if pair not in merges: break
        tokens = merge(tokens, pair, merges[pair])
    return tokens
print(encode("")); print(encode("hello world the name"), decode(encode("awe 😄")))
import re
pat = re.compile(r"""'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?\d+| ?[^\sA-Za-z\d]+|\s+(?!\S)|\s+""")
print(re.findall(pat, "Hello've world123 how's are you!!!?  "))
print(pat, pat.pattern[:10], re.split(r"([,.:;?_!\"()\']|--|\s)", "Hello, world. Is this-- a test?"))
m = re.search(r"(?P<w>\w+) (\d+)", "abc 42"); print(m, m.groups(), m.group("w"), m.span(), m.groupdict())
print(re.sub(r"\s+([,.?!\"()\'])", r"\1", "Hello , do you like tea ?"), re.match(r"x", "y"), re.fullmatch(r"\d+", "12"))
print(list(map(ord, "héllo")), chr(8364), "안녕".encode("utf-8"), "a\u0301", len("👋"), "ß".upper(), "ǅ".lower())
print(bytes([0, 255]), bytearray(b"ab"), b"ab".hex(), bytes.fromhex("6162"), int.from_bytes(b"\x01\x02", "big"), (258).to_bytes(2, "little"), memoryview(b"abc")[1])

# %% arrays-filled
import numpy as np
print(repr(np.full(2, 1.5)), repr(np.full((2, 2), [1, 2])))
print(np.sum(np.full((2, 3), 2.0)), np.sum(np.ones(3), dtype=int), np.sum(np.arange(6).reshape(2, 3), axis=0, keepdims=True), np.sum(np.array([True, True])))


# %% tokens in few bytes, and places in order
import numpy as np

ids = np.array([1, 2, 65535], dtype=np.uint16)
print(ids, repr(ids), ids + 1, (ids + 1).dtype, ids.nbytes, (ids * np.int64(2)).dtype, (ids / 2).dtype, np.sqrt(ids).dtype)
print(ids.astype(np.int64), type(ids[0]), np.uint16(5), np.concatenate([ids, np.array([1], np.int32)]).dtype, ids + ids)
print(np.array([3], np.uint32) - 4, np.promote_types("uint16", "int16"), np.promote_types("uint8", "uint32"))
x = np.array([0.1, 0.2, 0.4, 0.7], np.float32)
print(repr(np.percentile(x, 50)), repr(np.percentile(x, [5, 50, 95])), repr(np.quantile(x, 0.9)))
table = x.reshape(2, 2)
print(repr(np.percentile(table, 25)), repr(np.percentile(table, [25, 75], axis=0)), repr(np.median(table, axis=0)))

# %% beta-draws
import numpy as np
np.random.seed(3)
for a,b in [(0.2,0.2),(1.0,1.0),(0.4,0.9),(2.0,2.0),(0.5,3.0),(1.0,4.0),(8,1.5)]:
    print(a,b,np.random.beta(a,b), np.random.beta(a,b,size=3))
print(np.random.rand())
g=np.random.default_rng(5)
for a,b in [(0.2,0.2),(1.0,1.0),(0.4,0.9),(0.001,0.001)]:
    print(a,b,g.beta(a,b), g.beta(a,b,size=(2,2)))
print(type(np.random.beta(0.2,0.2)))
try: np.random.beta(-1,1)
except ValueError as e: print(e)
try: np.random.beta(1,0)
except ValueError as e: print(e)
