import { createTheme, defaultVariantColorsResolver, Modal } from '@mantine/core';
import parts from './mantine-parts.module.css';

/** What Mantine computes itself; its colours come from theme.css. */
export const mantineTheme = createTheme({
  primaryColor: 'green',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== 'filled') return colors;
    return { ...colors, color: input.color === 'red' ? 'var(--card)' : 'var(--on-accent)' };
  },
  components: {
    // By name, since importing them would bring them all to the first page.
    Checkbox: { classNames: { icon: parts.tick } },
    Code: { classNames: { root: parts.code } },
    Input: { classNames: { wrapper: parts.field } },
    Radio: { classNames: { icon: parts.tick } },
    SegmentedControl: {
      classNames: { root: parts.segments, indicator: parts.segment, label: parts.segmentLabel },
    },
    // Locking the scroll its way writes a style element, which the policy refuses.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
  },
});
