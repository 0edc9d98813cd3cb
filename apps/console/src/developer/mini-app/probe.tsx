import { Alert, Button, Text } from '@mantine/core';
import { useAction } from '../../shared/api/index.ts';
import { Failure, Section, Time } from '../../shared/ui/index.ts';
import type { MiniAppDetails } from './types.ts';

const signatures = { ed25519: 'Ed25519', ecdsa: 'ECDSA', both: 'Ed25519 and ECDSA' } as const;

const meanings = {
  safe: {
    color: 'green',
    title: 'It is ready to be listed',
    next: 'It answered correctly and refused every forged call.',
  },
  unsafe: {
    color: 'red',
    title: 'It accepts forged calls',
    next: 'Anybody could give it commands. Check the signature and the time of every request before you do anything else, and answer 401 to what is wrong.',
  },
  failed: {
    color: 'yellow',
    title: 'It could not be checked',
    next: 'See that it runs at the address below and can be reached from this server, then check again.',
  },
} as const;

/** Calls the mini-app as the server does before it is listed, and says what that means. */
export function Probe({ details, miniAppId }: { details: MiniAppDetails; miniAppId: string }) {
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', {
    changes: ['GET /latchkey/miniapps/{miniAppId}'],
  });
  const { app, probedAt, signature, version, commands } = details;
  const result = probe.error === null ? probe.answer : undefined;
  return (
    <Section
      title="Check it"
      lead="Reads its metadata, finds which signatures it verifies, and sends forged calls that it must refuse. Once a minute."
      actions={
        <Button
          variant="default"
          loading={probe.isRunning}
          disabled={app.url === undefined}
          onClick={() => probe.run({ miniAppId })}
        >
          Check now
        </Button>
      }
    >
      {app.url === undefined && <Text size="sm">Give it an address below first.</Text>}
      <Failure error={probe.error} />
      {result !== undefined && (
        <Alert role="status" color={meanings[result.outcome].color} title={meanings[result.outcome].title}>
          {result.reason !== undefined && <p>{result.reason}</p>}
          <p>{meanings[result.outcome].next}</p>
          {result.signature !== undefined && <p>It verifies {signatures[result.signature]} signatures.</p>}
        </Alert>
      )}
      {probedAt !== undefined && (
        <Text size="sm">
          Last checked before listing or by schedule: <Time at={probedAt} />
          {version !== undefined && ` · version ${version}`}
          {signature !== undefined && ` · ${signatures[signature]}`}
          {commands.length > 0 && ` · commands: ${commands.map((name) => `/${name}`).join(', ')}`}
        </Text>
      )}
    </Section>
  );
}
