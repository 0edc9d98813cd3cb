export { interactionsFeature } from './feature.ts';
export {
  countInteractions,
  countInteractionsByDay,
  type InteractionKind,
  interactionKinds,
  noteInteraction,
  type Span,
} from './interactions.ts';
