import { createContext, useContext } from 'react';
import type { Node } from './tree/node.ts';
import type { Edit } from './use-draft.ts';

/** What every card needs of the builder around it. */
export interface Building {
  communityId: string;
  root: Node;
  /** Whether conditions have a visibility of their own: in a tree, not in a rule with one condition. */
  hasConditionVisibility: boolean;
  editTree(edit: Edit, more?: { typing?: string; announcement?: string; focusKey?: string }): void;
}

const BuilderContext = createContext<Building | undefined>(undefined);
export const BuilderProvider = BuilderContext.Provider;

export function useBuilding(): Building {
  const building = useContext(BuilderContext);
  if (building === undefined) throw new Error('A card stands outside of a builder.');
  return building;
}
