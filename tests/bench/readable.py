"""Whether the texts of a figure can be read: none on another, none cut off."""


def visible_texts(figure):
    """[(text, its box in pixels)] of all that is drawn, tick labels and legends included."""
    from matplotlib.text import Text
    renderer = figure.canvas.get_renderer()
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks() + axis.get_minor_ticks():
                if not low * (1 - 1e-9) <= tick.get_loc() <= high * (1 + 1e-9) and low != high:
                    hidden |= {tick.label1, tick.label2}
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in hidden:
            box = text.get_window_extent(renderer)
            if box.width > 0 and box.height > 0:
                found.append((text.get_text(), box))
    return found


def unreadable(figure):
    """Sentences on texts that overlap or leave the figure."""
    figure.canvas.draw()
    texts = visible_texts(figure)
    faults = [f"'{text}' leaves the figure" for text, box in texts
              if box.x0 < -0.5 or box.y0 < -0.5 or box.x1 > figure.bbox.x1 + 0.5 or box.y1 > figure.bbox.y1 + 0.5]
    for k, (text, box) in enumerate(texts):
        for other, beside in texts[k + 1:]:
            wide = min(box.x1, beside.x1) - max(box.x0, beside.x0)
            high = min(box.y1, beside.y1) - max(box.y0, beside.y0)
            if wide > 0.5 and high > 0.5:
                faults.append(f"'{text}' and '{other}' overlap by {wide:.0f} x {high:.0f} pixels")
    return faults
