"""A study as one page of HTML that needs nothing else: sections, their templates, scripts and styles."""
