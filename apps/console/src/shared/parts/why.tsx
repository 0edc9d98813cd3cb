import { Button, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { chainName } from '../../parts/chain-name.ts';
import { type Branch, growTree } from '../../parts/grow-tree.ts';
import { IconCircleCheck, IconCircleX, IconHelpCircle } from '../icons.ts';
import { t as common } from '../messages/index.ts';
import { Picture, Row } from '../ui/index.ts';
import { t } from './messages/index.ts';
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
              {t('why.readAt', {
                blocks: t.list(
                  read.map(([chain, block]) => t('why.block', { block: String(block), chain: chainName(chain) })),
                ),
              })}
            </p>
          )}
        </>
      )}
      {lines.length > 0 && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-label={t(isOpen ? 'why.hideOf' : 'why.showOf', { about })}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t(isOpen ? 'why.hide' : 'why.show')}
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
  met: { words: 'why.met', icon: IconCircleCheck },
  'not-met': { words: 'why.notMet', icon: IconCircleX },
  unknown: { words: 'why.unknown', icon: IconHelpCircle },
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
        const { words, icon: OutcomeIcon } = outcomes[outcome];
        return (
          <li key={key}>
            <span className={styles.line}>
              <OutcomeIcon className={styles[outcome]} size={18} aria-hidden="true" />
              <span>
                <VisuallyHidden>{t(words)} </VisuallyHidden>
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

const sentences = {
  gains: 'memberChange.gains',
  loses: 'memberChange.loses',
  'would get': 'memberChange.wouldGet',
  'would lose': 'memberChange.wouldLose',
} as const;

/** One role that one member gains or loses, and why. */
export function MemberChange(props: {
  communityId: string;
  change: Change;
  verb: keyof typeof sentences;
  state: ReactNode;
  children?: ReactNode;
}) {
  const { userId, userName, roleId, roleName, ...why } = props.change;
  const native = userId.split('#').at(-1) ?? userId;
  const name = userName ?? native;
  const sentence = sentences[props.verb];
  const role = roleName ?? common('common.unnamedRole', { id: roleId });
  return (
    <div className={styles.change}>
      <Row
        picture={<Picture name={name} size={24} />}
        title={t.rich(sentence, {
          role,
          member: (
            <Link
              key="member"
              className={styles.name}
              to="/communities/$communityId/members/$userId"
              params={{ communityId: props.communityId, userId: native }}
              title={name}
            >
              {name}
            </Link>
          ),
        })}
        states={props.state}
      />
      {props.children}
      <Why words={why.words} lines={why.lines} blocks={why.blocks} about={t(sentence, { member: name, role })} />
    </div>
  );
}
