# Cross-attention whose source and target happen to have one length: nothing is causal, as the source is all there.
import torch
import torch.nn as nn

class Fusion(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.audio_to_query = nn.Linear(dim, dim)
        self.video_to_key = nn.Linear(dim, dim)
        self.video_to_value = nn.Linear(dim, dim)

    def forward(self, audio, video):
        q, k, v = self.audio_to_query(audio), self.video_to_key(video), self.video_to_value(video)
        weights = torch.baddbmm(torch.zeros(1), q, k.transpose(1, 2), beta=0, alpha=q.shape[-1] ** -0.5).softmax(dim=-1)
        return audio + torch.bmm(weights, v)

torch.manual_seed(2)
audio, video = torch.randn(2, 6, 8), torch.randn(2, 6, 8)
y = Fusion()(audio, video)
print(y.shape, f"{y.sum().item():.4f}")
