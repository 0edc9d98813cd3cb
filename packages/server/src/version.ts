/** The version of Latchkey itself, which CHANGELOG.md begins with. The version of the API it serves is another one. */
export const latchkeyVersion = '0.1.0';
