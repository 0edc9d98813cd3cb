import { feature } from '../../shared/feature.ts';

export {
  countInteractions,
  countInteractionsByDay,
  type InteractionKind,
  noteInteraction,
  type Span,
} from './interactions.ts';

export const interactionsFeature = feature('usage', { tables: ['community_interactions'] });
