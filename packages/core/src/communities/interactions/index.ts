export { interactionsFeature } from './feature.ts';
export {
  countInteractions,
  countInteractionsByDay,
  type InteractionKind,
  noteInteraction,
  type Span,
} from './interactions.ts';
