"""What an author writes: measures, their parameters and columns, named objects; and expressions, text to measure and back."""
