"""Files for machines: JSON and CSV, badges, feeds, the search index, pictures for links.

They are written beside the pages, by the worker that makes the page: what the engine answered for
the page is still at hand. What belongs to no page is written by the worker that writes the assets.
"""
