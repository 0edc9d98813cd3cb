import { everyScreenSuite } from './console/every-screen.suite.ts';
import { formsSuite } from './console/forms.suite.ts';
import { hostileSuite } from './console/hostile.suite.ts';
import { languageSuite } from './console/language.suite.ts';
import { looksSuite } from './console/looks.suite.ts';
import { shellSuite } from './console/shell.suite.ts';
import { describeConsole } from './harness/describe-console.ts';

describeConsole('the console, screen by screen', {
  'around every screen': shellSuite,
  'every screen': everyScreenSuite,
  'every screen with the worst in it': hostileSuite,
  'every screen, to the eye and the hand': looksSuite,
  'every screen in another language': languageSuite,
  'every form': formsSuite,
});
