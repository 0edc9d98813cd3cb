import { defineModule } from '../../shared/module.ts';

export {
  countInteractions,
  countInteractionsByDay,
  type InteractionKind,
  noteInteraction,
  type Span,
} from './interactions.ts';

export const interactionsModule = defineModule('usage', { tables: ['community_interactions'] });
