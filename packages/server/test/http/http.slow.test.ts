// One process for all of them: loading a server costs more than most of these tests.
import './browsers.suite.ts';
import './described.suite.ts';
import './links.suite.ts';
import './mcp.suite.ts';
import './methods.suite.ts';
import './not-set-up.suite.ts';
import './operator.suite.ts';
import './pipeline.suite.ts';
import './standards.suite.ts';
import './telegram-updates.suite.ts';
import './traces.suite.ts';
import './transports.suite.ts';
