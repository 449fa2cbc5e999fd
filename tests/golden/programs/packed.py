# %% pack-and-pad
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
seq = torch.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
packed = pack_padded_sequence(seq, [2, 1, 3], batch_first=True, enforce_sorted=False)
print(packed)
print(pad_packed_sequence(packed, batch_first=True))
print(pad_packed_sequence(packed, padding_value=-1, total_length=4))
print(type(packed), packed.data.dtype, packed.batch_sizes, packed.to(torch.float64).data.dtype)
floats = pack_padded_sequence(torch.arange(12.).reshape(3, 2, 2), torch.tensor([3, 1]))
print(floats, floats[0].shape)
data, sizes, order, inverse = floats
print(order, inverse, isinstance(floats, tuple))

# %% pack-sequence
import torch
from torch.nn.utils.rnn import pack_sequence, pad_sequence
a, b, c = torch.tensor([1, 2, 3]), torch.tensor([4, 5]), torch.tensor([6])
print(pack_sequence([a, b, c]))
print(pack_sequence([c, a, b], enforce_sorted=False))
print(pad_sequence([a, b, c], batch_first=True))

# %% packed-through-lstm-and-gru
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
torch.manual_seed(0)
x, lengths = torch.rand(3, 4, 2), torch.tensor([2, 4, 1])
for net in (nn.LSTM(2, 3, 2, batch_first=True, bidirectional=True), nn.GRU(2, 2, batch_first=True), nn.RNN(2, 2, 2, bidirectional=True, batch_first=True)):
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    with torch.no_grad():
        out, last = net(packed)
    padded, sizes = pad_packed_sequence(out, batch_first=True)
    print(type(out).__name__, padded, sizes)
    print(last)
net = nn.GRU(2, 2, batch_first=True)
first = torch.rand(1, 3, 2)
with torch.no_grad():
    print(net(packed, first)[1])
    print(net(x[:, :2], first)[1][:, 0].equal(net(packed, first)[1][:, 0]))

# %% packed-and-gradients
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
torch.manual_seed(0)
x = torch.rand(4, 2, 2, requires_grad=True)
net = nn.LSTM(2, 2)
out, (h, c) = net(pack_padded_sequence(x, [4, 2]))
(h.sum() + pad_packed_sequence(out)[0].pow(2).sum()).backward()
print(x.grad)
print(net.bias_hh_l0.grad)

# %% what-cannot-be-packed
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pack_sequence
x = torch.ones(3, 2)

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

show(lambda: pack_padded_sequence(x, [1, 3]))
show(lambda: pack_padded_sequence(x, [3, 0]))
show(lambda: pack_padded_sequence(x, [3]))
show(lambda: pack_sequence([torch.ones(1), torch.ones(2)]))
show(lambda: pad_packed_sequence(pack_padded_sequence(x, [3, 2]), total_length=2))
