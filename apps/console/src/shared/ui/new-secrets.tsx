import { ActionIcon, Alert, Code, Stack, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { IconCheck, IconCopy, IconKey } from '../icons.tsx';
import styles from './copy-text.module.css';

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

/** A text to take along, such as an address or a key, with a button that copies it. */
export function CopyText({ text, what, shown = text }: { text: string; what: string; shown?: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Select the text and copy it by hand');
    }
  };
  return (
    <span className={styles.copy}>
      <Code className={styles.text} title={text}>
        {shown}
      </Code>
      <Tooltip label={said === '' ? `Copy ${what}` : said}>
        <ActionIcon variant="subtle" color="gray" aria-label={`Copy ${what}`} onClick={copy}>
          {said === 'Copied' ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <span role="status" className={styles.said}>
        {said}
      </span>
    </span>
  );
}
