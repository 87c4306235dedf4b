"""How well measures tell systems apart: discriminative power and swap rates."""
