import { Button, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { chainName } from '../parts/chain-name.ts';
import { type Branch, growTree } from '../parts/grow-tree.ts';
import { IconCircleCheck, IconCircleX, IconHelpCircle } from './icons.tsx';
import { Picture, Row } from './ui/index.ts';
import styles from './why.module.css';

interface Blocks {
  [chain: string]: unknown;
}

/** The reason in a sentence, and on demand in full with the blocks that were read. */
export function Why({
  words,
  lines,
  blocks = {},
  about,
}: {
  words: readonly string[];
  blocks?: Blocks;
  /** What it is the reason for, for screen reader users, who do not see the context of the button. */
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

export interface ReasonLine {
  depth: number;
  outcome: 'met' | 'not-met' | 'unknown';
  text: string;
  found?: string | undefined;
}

const outcomes = {
  met: { word: 'Met', icon: IconCircleCheck },
  'not-met': { word: 'Not met', icon: IconCircleX },
  unknown: { word: 'Could not be checked', icon: IconHelpCircle },
} as const;

/** Why a member has a role or not: the conditions of its rules, each with its outcome. */
export function ReasonTree({ lines }: { lines: readonly ReasonLine[] }) {
  return <Branches branches={growTree(lines)} />;
}

function Branches({ branches }: { branches: readonly Branch<ReasonLine>[] }) {
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

interface Change extends Pick<Parameters<typeof Why>[0], 'words' | 'lines' | 'blocks'> {
  userId: string;
  userName?: string | undefined;
  roleId: string;
  roleName?: string | undefined;
}

/** One role that one member gains or loses, and why. */
export function MemberChange(props: {
  communityId: string;
  change: Change;
  /** The text between the member's name and the role's. */
  verb: string;
  state: ReactNode;
  children?: ReactNode;
}) {
  const { userId, userName, roleId, roleName, ...why } = props.change;
  const native = userId.split('#').at(-1) ?? userId;
  const name = userName ?? native;
  const what = `${props.verb} ${roleName ?? `role ${roleId}`}`;
  return (
    <div className={styles.change}>
      <Row
        picture={<Picture name={name} size={24} />}
        title={
          <>
            <Link
              className={styles.name}
              to="/communities/$communityId/members/$userId"
              params={{ communityId: props.communityId, userId: native }}
              title={name}
            >
              {name}
            </Link>{' '}
            {what}
          </>
        }
        states={props.state}
      />
      {props.children}
      <Why words={why.words} lines={why.lines} blocks={why.blocks} about={`${name} ${what}`} />
    </div>
  );
}
