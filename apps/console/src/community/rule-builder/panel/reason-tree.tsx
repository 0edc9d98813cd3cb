import { VisuallyHidden } from '@mantine/core';
import { IconCheck, IconQuestionMark, IconX } from '../../../shared/icons.tsx';
import styles from '../builder.module.css';
import { isFields } from '../tree/draft.ts';
import type { Fields } from '../tree/node.ts';

const marks = {
  true: [IconCheck, 'Met:'],
  false: [IconX, 'Not met:'],
  unknown: [IconQuestionMark, 'Could not be checked:'],
} as const;

/** Why a rule came out as it did, condition by condition. */
export function ReasonTree({ reason }: { reason: Fields }) {
  return (
    <ul className={styles.tree}>
      <ReasonNode reason={reason} />
    </ul>
  );
}

function ReasonNode({ reason }: { reason: Fields }) {
  const truth = reason.truth === 'true' || reason.truth === 'false' ? reason.truth : 'unknown';
  const [Mark, words] = marks[truth];
  const parts: readonly unknown[] = Array.isArray(reason.parts) ? reason.parts : [];
  return (
    <li>
      <span className={styles.node} data-truth={truth}>
        <Mark size={18} aria-hidden="true" />
        <span>
          <VisuallyHidden>{words} </VisuallyHidden>
          {parts.length > 0 ? groupWords(reason) : capital(String(reason.text ?? ''))}
          {typeof reason.found === 'string' && <span className={styles.found}>{reason.found}</span>}
        </span>
      </span>
      {parts.length > 0 && (
        <ul>
          {parts.filter(isFields).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer that does not change.
            <ReasonNode key={index} reason={part} />
          ))}
        </ul>
      )}
    </li>
  );
}

function groupWords({ kind, count }: Fields): string {
  if (kind === 'and') return 'All of these';
  if (kind === 'or') return 'Any of these';
  return kind === 'not' ? 'None of these' : `At least ${String(count ?? 1)} of these`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
