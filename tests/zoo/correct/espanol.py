"""Atención cruzada y propia con nombres en español, sin clases de PyTorch."""
import torch

torch.manual_seed(321)
dimension = 8
pesos_consulta = torch.randn(dimension, dimension) * dimension ** -0.5
pesos_clave = torch.randn(dimension, dimension) * dimension ** -0.5
pesos_valor = torch.randn(dimension, dimension) * dimension ** -0.5


def normalizar(puntuaciones):
    maximo = puntuaciones.max(dim=-1, keepdim=True).values
    exponencial = torch.exp(puntuaciones - maximo)
    return exponencial / exponencial.sum(dim=-1, keepdim=True)


def atencion(origen, destino, causal=False):
    consulta, clave, valor = destino @ pesos_consulta, origen @ pesos_clave, origen @ pesos_valor
    puntuaciones = consulta @ clave.T / dimension ** 0.5
    if causal:
        futuro = torch.ones_like(puntuaciones).triu(1).bool()
        puntuaciones[futuro] = float("-inf")
    return normalizar(puntuaciones) @ valor


frase = torch.randn(5, dimension)
imagen = torch.randn(9, dimension)
print("propia:", f"{atencion(frase, frase, causal=True).sum():.4f}")
print("cruzada:", tuple(atencion(imagen, frase).shape), f"{atencion(imagen, frase).sum():.4f}")
