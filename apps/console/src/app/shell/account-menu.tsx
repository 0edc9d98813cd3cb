import { Menu, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../shared/api/index.ts';
import { IconChevronDown, IconLogout, IconUser } from '../../shared/icons.tsx';
import { openAnew } from '../../shared/open-anew.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog, Picture } from '../../shared/ui/index.ts';
import styles from './shell.module.css';

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const { accountId, name: known, isOperator } = useSession();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const name = known ?? accountId ?? 'Operator';
  const logOut = async () => {
    try {
      await call('DELETE /latchkey/session', {});
      queries.clear();
      openAnew();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <UnstyledButton className={styles.account}>
            <Picture name={name} size={24} />
            <span className={styles.accountName}>{name}</span>
            <IconChevronDown size={14} aria-hidden="true" />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {isOperator && <Menu.Label>Signed in as operator</Menu.Label>}
          {accountId !== undefined && (
            <Menu.Item component={Link} to="/me" leftSection={<IconUser size={16} aria-hidden="true" />}>
              My account
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden="true" />} onClick={logOut}>
            Log out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={error !== undefined}
        title="You are still logged in"
        yes="Try again"
        error={error}
        onYes={logOut}
        onNo={() => setError(undefined)}
      />
    </>
  );
}
