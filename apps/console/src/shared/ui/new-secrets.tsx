import { Alert, Stack, Text } from '@mantine/core';
import { IconKey } from '../icons.tsx';
import { CopyText } from './copy-text.tsx';

/** Secrets that the server shows once, to be copied now. */
export function NewSecrets({ secrets }: { secrets: readonly { what: string; value: string | undefined }[] }) {
  const shown = secrets.flatMap(({ what, value }) => (value === undefined ? [] : [{ what, value }]));
  if (shown.length === 0) return null;
  return (
    <Alert color="green" title="Copy this now: it is shown only once" icon={<IconKey aria-hidden="true" />}>
      <Stack gap="xs">
        {shown.map(({ what, value }) => (
          <div key={what}>
            <Text size="sm" fw={550}>
              {what}
            </Text>
            <CopyText text={value} what={what} />
          </div>
        ))}
      </Stack>
    </Alert>
  );
}
