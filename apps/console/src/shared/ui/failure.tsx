import { ApiError } from '@latchkey/client';
import { Alert, Button, Text } from '@mantine/core';
import { describeError } from '../../say-error.ts';
import { requestIdOf, SignedOut, Unreachable } from '../api/index.ts';
import { IconAlertTriangle, IconPlugConnectedX } from '../icons.tsx';

/** Says what went wrong: the server's own sentence, the code, and the id that finds it in the operator's log. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null;
  const isAway = error instanceof Unreachable;
  const id = requestIdOf(error);
  const code = error instanceof ApiError ? error.code : undefined;
  return (
    <Alert
      role="alert"
      color={isAway ? 'yellow' : 'red'}
      title={isAway ? 'No connection' : 'That did not work'}
      icon={isAway ? <IconPlugConnectedX aria-hidden="true" /> : <IconAlertTriangle aria-hidden="true" />}
    >
      <Text size="sm">{messageOf(error)}</Text>
      {(code !== undefined || id !== undefined) && (
        <Text size="xs" c="dimmed" mt={4}>
          {[code, id !== undefined && `request ${id}`].filter(Boolean).join(' · ')}
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

export function messageOf(error: unknown): string {
  if (error instanceof SignedOut || error instanceof Unreachable) return error.message;
  if (error instanceof ApiError && error.status === 429 && error.retryAfterSeconds !== undefined)
    return `${error.message} Wait ${error.retryAfterSeconds} s.`;
  return describeError(error);
}
