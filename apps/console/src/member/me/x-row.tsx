import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog, Picture, Row, Time } from '../../shared/ui/index.ts';
import type { XLink } from './use-x-link.ts';

/** The linked X account. Latchkey keeps no access to it. */
export function XRow({ account, unlink }: { account: NonNullable<XLink['account']>; unlink: XLink['unlink'] }) {
  const [isLeaving, setIsLeaving] = useState(false);
  const name = `@${account.name ?? account.id}`;
  const close = () => {
    setIsLeaving(false);
    unlink.reset();
  };
  return (
    <>
      <Row
        picture={<Picture name="X" />}
        title={name}
        note={
          <>
            X, for what it shows publicly · linked <Time at={account.linkedTime} />
          </>
        }
        actions={
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Unlink ${name} on X`}
            onClick={() => setIsLeaving(true)}
          >
            Unlink
          </Button>
        }
      />
      <ConfirmDialog
        isOpen={isLeaving}
        title={`Unlink ${name}?`}
        yes="Unlink X account"
        isDangerous
        isRunning={unlink.isRunning}
        error={unlink.error}
        onYes={async () => {
          if (await unlink.run()) close();
        }}
        onNo={close}
      >
        <p>Roles that depend on your X account are removed in every community. You can link it again later.</p>
      </ConfirmDialog>
    </>
  );
}
