import approvals from './en/approvals.ts';
import people from './en/people.ts';
import server from './en/server.ts';

/** What the pages of the operator say. In ICU MessageFormat; docs/languages.md says how to write it. */
export default {
  ...approvals,
  ...people,
  ...server,
} as const;
