"""Parameters of measures, examination models and efforts, estimated from what people did."""
