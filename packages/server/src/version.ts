/** The version of Latchkey itself, with which CHANGELOG.md starts. The version of the API is a different one. */
export const latchkeyVersion = '0.1.0';
