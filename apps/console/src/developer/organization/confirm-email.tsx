import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure, Section } from '../../shared/ui/index.ts';

/** Asks for the code that was mailed, and mails another. */
export function ConfirmEmail({ name, email }: { name: string; email: string }) {
  const [otp, setOtp] = useState('');
  const verify = useAction('POST /dev-orgs/verify', { changes: ['GET /latchkey/dev-orgs'] });
  const again = useAction('POST /dev-orgs');
  return (
    <Section
      title="Confirm the e-mail address"
      lead={`We sent a code of six digits to ${email}. It works for a few minutes.`}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          verify.run({ body: { otp: otp.trim() } });
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={otp}
            onChange={(event) => setOtp(event.currentTarget.value)}
          />
          <Button type="submit" loading={verify.isRunning} disabled={!/^\d{6}$/.test(otp.trim())}>
            Confirm
          </Button>
          <Button variant="subtle" loading={again.isRunning} onClick={() => again.run({ body: { name, email } })}>
            Send another code
          </Button>
        </Group>
      </form>
      <Failure error={verify.error ?? again.error} />
      {again.answer !== undefined && <p role="status">Another code is on its way.</p>}
    </Section>
  );
}
