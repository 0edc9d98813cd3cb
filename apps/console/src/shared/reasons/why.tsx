import { Button } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import { chainName } from '../chain-name.ts';
import { ReasonTree } from './reason-tree.tsx';
import styles from './reasons.module.css';

interface Blocks {
  [chain: string]: unknown;
}

/** The reason in a sentence, and on demand the whole of it with the blocks that were read. */
export function Why({
  words,
  lines,
  blocks = {},
  about,
}: {
  words: readonly string[];
  blocks?: Blocks;
  /** What it is the reason of, for those who hear the button and do not see where it stands. */
  about: string;
} & ComponentProps<typeof ReasonTree>) {
  const [isOpen, setIsOpen] = useState(false);
  const read = Object.entries(blocks);
  if (words.length === 0 && lines.length === 0) return null;
  return (
    <div className={styles.why}>
      {!isOpen && <p className={styles.words}>{words.join(' ')}</p>}
      {isOpen && (
        <>
          <ReasonTree lines={lines} />
          {read.length > 0 && (
            <p className={styles.blocks}>
              Read at {read.map(([chain, block]) => `block ${String(block)} of ${chainName(chain)}`).join(', ')}
            </p>
          )}
        </>
      )}
      {lines.length > 0 && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Hide' : 'Show'} every condition: ${about}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show every condition'}
        </Button>
      )}
    </div>
  );
}
