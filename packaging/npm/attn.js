#!/usr/bin/env node
// Starts the program of this platform, which npm installed as an optional dependency.
'use strict';
const { spawnSync } = require('node:child_process');

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'attn.exe' : 'attn';
let program;
try {
  program = require.resolve(`attn-${platform}/bin/${file}`);
} catch {
  console.error(
    `attn: there is no program for ${platform} here. It is the package attn-${platform}, which npm leaves out ` +
      'with --omit=optional; attn exists for ' + Object.keys(require('./package.json').optionalDependencies).join(', ') + '.'
  );
  process.exit(1);
}
// Ctrl-C is for the program: it stops a cell, and this launcher goes on.
process.on('SIGINT', () => {});
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  console.error(`attn: ${program} cannot be started: ${error.message}`);
  process.exit(1);
}
if (signal) process.kill(process.pid, signal);
process.exit(status === null ? 1 : status);
