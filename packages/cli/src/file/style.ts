import type { ToStringOptions } from 'yaml';

/** How files are written. */
export const yamlStyle: ToStringOptions = { indent: 2, lineWidth: 120, minContentWidth: 40, singleQuote: true };
