// One process for all of them: loading a server costs more than most of these tests.
import './client.suite.ts';
import './ethereum-login.suite.ts';
import './near-index.suite.ts';
import './payments.suite.ts';
import './transfers.suite.ts';
