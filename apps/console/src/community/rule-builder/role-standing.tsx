import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '../../shared/icons.tsx';
import type { Saved } from './use-rule-form.ts';

/** How many members have the role of a saved rule just now, or what is wrong with the role. */
export function RoleLosses({ saved, roleId }: { saved: Saved; roleId: unknown }) {
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
  const { holders } = saved;
  return (
    <Text size="sm" c="dimmed">
      {holders === 1 ? '1 member has this role now.' : `${holders.toLocaleString()} members have this role now.`}
    </Text>
  );
}
