import members from './en/members.ts';
import roleChanges from './en/role-changes.ts';
import rules from './en/rules.ts';
import rulesFile from './en/rules-file.ts';
import security from './en/security.ts';
import settings from './en/settings.ts';
import start from './en/start.ts';

/** What the pages of community admins say; those of the rule builder are beside it. In ICU MessageFormat; docs/languages.md says how to write it. */
export default {
  ...start,
  ...members,
  ...roleChanges,
  ...rules,
  ...rulesFile,
  ...security,
  ...settings,
} as const;
