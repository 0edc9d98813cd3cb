import { ActionIcon, Code, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { IconCheck, IconCopy } from '../icons.tsx';
import styles from './copy-text.module.css';

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
