"""Reports: a comparison as one page of HTML."""
