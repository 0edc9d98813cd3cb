import { createTheme, defaultVariantColorsResolver, Modal } from '@mantine/core';

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
    // Locking the scroll its way writes a style element, which the policy refuses.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
  },
});
