/** The class names of a style sheet. Named first among the files of the project, before looser words for `*.css`. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
