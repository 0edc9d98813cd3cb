import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { approveWithPasskey, knowsPasskeys } from '../../passkeys/ceremonies.ts';
import { call, useAction } from '../api/index.ts';
import { Failure, Time } from '../ui/index.ts';
import styles from './treasury.module.css';
import type { TreasuryAction } from './types.ts';

/** Shows what will be signed, and takes a passkey or a code as the proof that its owner wants exactly this. */
export function Approve({
  address,
  action,
  yes,
  onDone,
  onBack,
}: {
  address: string;
  action: TreasuryAction;
  yes: string;
  onDone(): void;
  onBack(): void;
}) {
  const { approval } = action;
  const [code, setCode] = useState('');
  const [passkeyError, setPasskeyError] = useState<unknown>();
  const approve = useAction('POST /latchkey/treasuries/{address}/actions/{actionId}/approve', {
    changes: ['GET /latchkey/treasuries/{address}', 'GET /latchkey/treasuries/{address}/actions'],
    onDone,
  });
  const send = (otp: string) => approve.run({ address, actionId: action.id, body: { otp } });
  const options = approval?.passkeyOptions;
  const takePasskey = async () => {
    if (options === undefined) return;
    setPasskeyError(undefined);
    try {
      send(await approveWithPasskey(call, options));
    } catch (problem) {
      setPasskeyError(problem);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(code.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <ul className={styles.summary} aria-label="What you approve">
          {approval?.summary.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {approval?.warnings.map((warning) => (
          <Alert key={warning} color="yellow" variant="light">
            {warning}
          </Alert>
        ))}
        {options !== undefined && knowsPasskeys() && (
          <Button loading={approve.isRunning} onClick={() => void takePasskey()}>
            {yes} with a passkey
          </Button>
        )}
        <TextInput
          label="Code of your authenticator app"
          description="A passkey or app counts 24 hours after you added it. Add one under My account."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Failure error={approve.error ?? passkeyError} />
        {approval !== undefined && (
          <p className={styles.note}>
            Approve it until <Time at={approval.expiresAt} />. Nothing moves before.
          </p>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" loading={approve.isRunning} disabled={!/^\d{6}$/.test(code.trim())}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
