import builder from './en/builder.ts';
import kinds from './en/kinds.ts';

/** What the rule builder says. In ICU MessageFormat; docs/languages.md says how to write it. */
export default {
  ...builder,
  ...kinds,
} as const;
