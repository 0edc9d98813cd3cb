export { type Catalogue, createMessages, type Messages, type MessageText } from './create-messages.ts';
export {
  acceptedLocale,
  directionOf,
  findLocale,
  firstLocale,
  type Locale,
  localeCookie,
  locales,
  localeTitles,
  type PageLocale,
  pseudoLocale,
} from './locales.ts';
