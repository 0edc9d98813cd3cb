// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Many reads in one eth_call that lends this code to an address (a state override). The question is packed:
///   target (20 bytes), selector (4), length of the tail (1), tail, count (2), then one argument (20) for each read
/// and so on for the next target. A target of zero asks for the balances of the arguments. The answer begins with where it was
/// given, then has for each read two bytes, the highest bit for success and the rest for the length, and what was returned.
contract ReadPacked {
    fallback() external {
        assembly {
            // Memory below 512 holds the call that is made, above it grows the answer.
            let start := 512
            mstore(start, chainid())
            mstore(add(start, 32), number())
            mstore(add(start, 64), timestamp())
            let out := add(start, 96)
            let at := 0
            for {} lt(at, calldatasize()) {} {
                let target := shr(96, calldataload(at))
                let tail := byte(0, calldataload(add(at, 24)))
                mstore(0, calldataload(add(at, 20)))
                calldatacopy(36, add(at, 25), tail)
                at := add(at, add(25, tail))
                let end := add(add(at, 2), mul(20, shr(240, calldataload(at))))
                at := add(at, 2)
                for {} lt(at, end) { at := add(at, 20) } {
                    let argument := shr(96, calldataload(at))
                    switch target
                    case 0 {
                        mstore(out, shl(240, 0x8020))
                        mstore(add(out, 2), balance(argument))
                        out := add(out, 34)
                    }
                    default {
                        mstore(4, argument)
                        let success := staticcall(gas(), target, 0, add(36, tail), 0, 0)
                        let size := returndatasize()
                        // What is longer than can be told is told as a failure without a word.
                        if gt(size, 0x7fff) {
                            size := 0
                            success := 0
                        }
                        mstore(out, shl(240, or(shl(15, success), size)))
                        returndatacopy(add(out, 2), 0, size)
                        out := add(out, add(2, size))
                    }
                }
            }
            return(start, sub(out, start))
        }
    }
}
