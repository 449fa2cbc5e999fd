# Aufmerksamkeit mit mehreren Köpfen, deutsch benannt.
import torch
import torch.nn as nn

class Aufmerksamkeit(nn.Module):
    def __init__(self, breite, koepfe, laenge):
        super().__init__()
        self.koepfe = koepfe
        self.kopfbreite = breite // koepfe
        self.abfrage = nn.Linear(breite, breite)
        self.schluessel = nn.Linear(breite, breite)
        self.wert = nn.Linear(breite, breite)
        self.ausgang = nn.Linear(breite, breite)
        self.register_buffer("zukunft", torch.triu(torch.ones(laenge, laenge), diagonal=1).bool())

    def teile(self, x):
        stapel, woerter, breite = x.shape
        return x.view(stapel, woerter, self.koepfe, self.kopfbreite).transpose(1, 2)

    def forward(self, x):
        stapel, woerter, breite = x.shape
        a, s, w = self.teile(self.abfrage(x)), self.teile(self.schluessel(x)), self.teile(self.wert(x))
        punkte = a @ s.transpose(2, 3)
        punkte = punkte.masked_fill(self.zukunft[:woerter, :woerter], -torch.inf)
        gewichte = torch.softmax(punkte / self.kopfbreite ** 0.5, dim=-1)
        ergebnis = (gewichte @ w).transpose(1, 2).reshape(stapel, woerter, breite)
        return self.ausgang(ergebnis)

torch.manual_seed(2026)
schicht = Aufmerksamkeit(breite=12, koepfe=3, laenge=8)
satz = torch.randn(2, 5, 12)
print("Form:", tuple(schicht(satz).shape))
print("Summe: %.4f" % schicht(satz).sum().item())
