import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '../../shared/icons.tsx';
import type { Saved } from './use-rule-form.ts';

/** What is wrong with the role of a saved rule, until another one is picked. */
export function RoleStanding({ saved, roleId }: { saved: Saved; roleId: unknown }) {
  if (saved.roleState === 'missing' && roleId === saved.roleId)
    return (
      <Alert
        color="red"
        icon={<IconAlertTriangle aria-hidden="true" />}
        title="This rule is broken: its role was deleted"
      >
        Pick another role under “Members get” and save. Until then the rule gives nothing to anybody.
      </Alert>
    );
  if (saved.blocked !== undefined)
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden="true" />} title="This role cannot be given or taken">
        {saved.blocked}
      </Alert>
    );
  return null;
}
