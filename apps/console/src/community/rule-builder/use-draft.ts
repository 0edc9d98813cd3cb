import { useReducer } from 'react';
import { t } from './messages/index.ts';
import type { Draft } from './tree/draft.ts';
import { advance, begin, type History, redo, undo } from './tree/history.ts';
import type { Node } from './tree/node.ts';

/** One change of the cards. */
export type Edit = (root: Node) => Node;

interface State {
  history: History<Draft>;
  /** The field that was typed in last: more of it is no step of its own. */
  typing: string | undefined;
  /** What was done, for screen readers. */
  announcement: string;
  /** The card that the focus follows. */
  focusKey: string | undefined;
}

type Action =
  | {
      kind: 'edit';
      edit: (draft: Draft) => Draft;
      typing?: string | undefined;
      announcement?: string;
      focusKey?: string | undefined;
    }
  | { kind: 'undo' | 'redo' }
  | { kind: 'focused' };

/** The rule on the page, with every step that can be taken back. */
export function useDraft(first: Draft) {
  const [{ history, announcement, focusKey }, dispatch] = useReducer(reduce, first, (draft): State => {
    return { history: begin(draft), typing: undefined, announcement: '', focusKey: undefined };
  });
  return {
    draft: history.present,
    announcement,
    focusKey,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    edit: (
      edit: (draft: Draft) => Draft,
      more: { typing?: string | undefined; announcement?: string; focusKey?: string | undefined } = {},
    ) => dispatch({ kind: 'edit', edit, ...more }),
    undo: () => dispatch({ kind: 'undo' }),
    redo: () => dispatch({ kind: 'redo' }),
    focused: () => dispatch({ kind: 'focused' }),
  };
}

function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'edit': {
      const { edit, typing, announcement = '', focusKey } = action;
      const joins = typing !== undefined && typing === state.typing;
      return {
        history: advance(state.history, edit(state.history.present), { joins }),
        typing,
        announcement,
        focusKey,
      };
    }
    case 'undo':
      return { history: undo(state.history), typing: undefined, announcement: t('build.undone'), focusKey: undefined };
    case 'redo':
      return { history: redo(state.history), typing: undefined, announcement: t('build.redone'), focusKey: undefined };
    default:
      return { ...state, focusKey: undefined };
  }
}
