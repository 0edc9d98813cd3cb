/** The console's page for a tab that was only opened to sign in. */
export const signedInPath = '/console/signed-in';
