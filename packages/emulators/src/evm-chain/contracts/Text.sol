// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Formats numbers and `data:` URIs.
library Text {
    bytes internal constant ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    function decimal(uint256 value) internal pure returns (string memory) {
        if (value == 0) return "0";
        uint256 length;
        for (uint256 rest = value; rest != 0; rest /= 10) length++;
        bytes memory digits = new bytes(length);
        for (uint256 rest = value; rest != 0; rest /= 10) digits[--length] = bytes1(uint8(48 + rest % 10));
        return string(digits);
    }

    /// The JSON text as a data URI.
    function jsonAddress(bytes memory json) internal pure returns (string memory) {
        return string.concat("data:application/json;base64,", base64(json));
    }

    function base64(bytes memory data) internal pure returns (string memory) {
        bytes memory alphabet = ALPHABET;
        bytes memory result = new bytes(4 * ((data.length + 2) / 3));
        uint256 written;
        for (uint256 i = 0; i < data.length; i += 3) {
            uint256 left = data.length - i;
            uint256 group = uint256(uint8(data[i])) << 16;
            if (left > 1) group |= uint256(uint8(data[i + 1])) << 8;
            if (left > 2) group |= uint8(data[i + 2]);
            result[written++] = alphabet[group >> 18];
            result[written++] = alphabet[(group >> 12) & 63];
            result[written++] = left > 1 ? alphabet[(group >> 6) & 63] : bytes1("=");
            result[written++] = left > 2 ? alphabet[group & 63] : bytes1("=");
        }
        return string(result);
    }
}
