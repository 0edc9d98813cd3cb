import { VisuallyHidden } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconHelpCircle } from '../icons.tsx';
import styles from './reasons.module.css';

interface ReasonLine {
  depth: number;
  outcome: 'met' | 'not-met' | 'unknown';
  text: string;
  found?: string | undefined;
}

interface Branch extends ReasonLine {
  key: string;
  parts: Branch[];
}

const outcomes = {
  met: { word: 'Met', icon: IconCircleCheck },
  'not-met': { word: 'Not met', icon: IconCircleX },
  unknown: { word: 'Could not be checked', icon: IconHelpCircle },
} as const;

/** Why somebody has a role or not: the conditions of its rules, each with how it came out. */
export function ReasonTree({ lines }: { lines: readonly ReasonLine[] }) {
  return <Branches branches={growTree(lines)} />;
}

function Branches({ branches }: { branches: readonly Branch[] }) {
  if (branches.length === 0) return null;
  return (
    <ul className={styles.tree}>
      {branches.map(({ key, outcome, text, found, parts }) => {
        const { word, icon: OutcomeIcon } = outcomes[outcome];
        return (
          <li key={key}>
            <span className={styles.line}>
              <OutcomeIcon className={styles[outcome]} size={18} aria-hidden="true" />
              <span>
                <VisuallyHidden>{word}: </VisuallyHidden>
                {text}
                {found !== undefined && <span className={styles.found}>{found}</span>}
              </span>
            </span>
            <Branches branches={parts} />
          </li>
        );
      })}
    </ul>
  );
}

/** Lines stand in the order of the tree, each deeper than the one it belongs to. */
function growTree(lines: readonly ReasonLine[]): Branch[] {
  const roots: Branch[] = [];
  const open: Branch[] = [];
  for (const [index, line] of lines.entries()) {
    const branch = { ...line, key: String(index), parts: [] };
    while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= line.depth) open.pop();
    (open.at(-1)?.parts ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}
