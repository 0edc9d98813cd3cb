/** Why something could not be read: a sentence for people that becomes the reason of an unknown answer. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
